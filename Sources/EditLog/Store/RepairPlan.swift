import EditLogFormat
public import EditModel

/// A file of a store that has changed and can be restored.
public struct Repair: Hashable, Sendable {
  /// The file's path, relative to the store.
  public var file: String
  /// The document it belongs to; nil for a file of the store.
  public var document: DocumentID?
  /// What is wrong with it, and how it is restored.
  public var what: String

  enum Place: Hashable, Sendable {
    case format
    case confirmed
    /// A journal's header, which names the number of the journal's first batch.
    case journal(UInt64, firstBatch: UInt64)
    case checkpoint(document: UInt64, CheckpointPlace)
    case name(document: UInt64)
    /// `isChanged` is true if the data is bad, and not only its parity.
    case segment(document: UInt64, first: SequenceNumber, isChanged: Bool)
  }
  let place: Place
}

/// The repairs that are possible in a store. Reads every byte of the sealed part.
struct RepairPlan {
  private(set) var repairs: [Repair] = []
  private let root: any Directory
  private let documents: DocumentsDirectory?
  private let store: StoreID

  init(
    _ root: any Directory, _ documents: DocumentsDirectory?, _ store: StoreID,
    _ names: [UInt64: DocumentID], segments: Bool = true
  ) throws(LogError) {
    (self.root, self.documents, self.store) = (root, documents, store)
    if try !StoreFormat.isWhole(in: root) {
      add(
        .format, StoreLayout.format, nil,
        "a copy of the store's name is bad or missing; it is written again from another")
    }
    if let flaw = try DurableMarkFile.flaw(in: root, store: store) {
      add(.confirmed, StoreLayout.confirmed, nil, flaw)
    }
    guard let documents else { return }
    for (number, name) in names.sorted(by: { $0.key < $1.key }) {
      guard let directory = try documents.documentIfAllowed(number) else { continue }
      let firsts = StoreLayout.numbers(.segment, in: try directory.names())
      try examineName(in: directory, number, name)
      for first in segments ? firsts : [] { try examine(first, in: directory, number, name) }
    }
  }

  private mutating func examineName(
    in directory: any Directory, _ number: UInt64, _ name: DocumentID
  ) throws(LogError) {
    do throws(LogError) {
      let found = try NameFile.read(in: directory, store: store, document: number)
      guard case .damaged = found else { return }
    } catch {
      guard case .refused = error else { throw error }
    }
    add(
      .name(document: number), "\(DocumentsDirectory.path(of: number))/\(StoreLayout.name)", name,
      "the name cannot be read; the file is removed, since other files have the name")
  }

  private mutating func examine(
    _ first: SequenceNumber, in directory: any Directory, _ number: UInt64, _ name: DocumentID
  ) throws(LogError) {
    let file = StoreLayout.name(of: first, .segment)
    let segment: Segment
    do throws(LogError) {
      segment = try Segment(
        try directory.open(file, .read), store: store, document: number, first: first)
    } catch {
      // `verify` reports what the parity cannot restore, and a newer version's file is sound.
      switch error {
      case .damaged, .newerFormat, .refused: return
      default: throw error
      }
    }
    let check = try segment.file.check()
    guard !check.isSound, check.lost.isEmpty, !segment.index.isRebuilt else { return }
    let count = check.mendable.reduce(0) { $0 + $1.count }
    add(
      .segment(document: number, first: first, isChanged: count > 0),
      directory.path(of: file).below(root.path), name,
      count == 0
        ? "the parity is bad; it is recomputed from the data, which is intact"
        : """
        \(count) bytes are rebuilt from the parity; the old file is copied to \
        \(StoreLayout.quarantine)
        """)
  }

  /// Adds the journals of a writer of which only the header has changed. Opening a store for writing
  /// replaces such journals.
  mutating func addJournals(in journals: any Directory) throws(LogError) {
    for number in StoreLayout.numbers(.journal, in: try journals.names()) {
      let name = StoreLayout.name(of: number, .journal)
      let bytes = try journals.open(name, .read).read(FileHeader.size + BatchHeader.size, at: 0)
      let first = bytes.withUnsafeBytes { bytes -> BatchHeader? in
        if let header = FileHeader(.journal, bytes), header.store == store { return nil }
        return BatchHeader(
          UnsafeRawBufferPointer(rebasing: bytes.dropFirst(FileHeader.size)), store: store)
      }
      guard let first else { continue }
      add(
        .journal(number, firstBatch: first.number), "\(StoreLayout.journals)/\(name)", nil,
        "the header has changed; it is rewritten")
    }
  }

  /// Adds the checkpoints of a document that readers must not use.
  mutating func addCheckpoints(
    of history: History, _ comparing: any CheckpointComparing
  ) throws(LogError) {
    let bad: [BadCheckpoint]?
    do { bad = try history.checkpointVerdict(comparing)?.bad } catch {
      // `verify` reports damage of the history itself.
      guard case .damaged = error else { throw error }
      return
    }
    for checkpoint in bad ?? [] {
      add(
        .checkpoint(document: history.number, checkpoint.place),
        checkpoint.file.below(root.path), history.document, checkpoint.what + "; removed")
    }
  }

  private mutating func add(
    _ place: Repair.Place, _ file: String, _ document: DocumentID?, _ what: String
  ) {
    repairs.append(Repair(file: file, document: document, what: what, place: place))
  }
}

extension Store {
  /// The repairs that `StoreWriter.repair` would make. Reads every byte of the sealed part, and
  /// changes nothing.
  ///
  /// It does not include damage in the journals, which opening a store for writing mends by itself.
  /// Checkpoints are compared with the replayed states if `comparing` is given.
  public func repairs(
    _ comparing: (any CheckpointComparing)? = nil
  ) throws(LogError) -> [Repair] {
    var plan = try repairPlan(segments: true)
    guard let comparing else { return plan.repairs }
    for document in try documentNumbers().sorted(by: { $0.value < $1.value }).map(\.key) {
      let history = try ifUsable { () throws(LogError) in try self.history(of: document) }
      if let history { try plan.addCheckpoints(of: history, comparing) }
    }
    return plan.repairs
  }

  func repairs(segments: Bool) throws(LogError) -> [Repair] {
    try repairPlan(segments: segments).repairs
  }

  private func repairPlan(segments: Bool) throws(LogError) -> RepairPlan {
    var names: [UInt64: DocumentID] = [:]
    for (name, number) in try documentNumbers() { names[number] = name }
    return try RepairPlan(root, documentsDirectory, id, names, segments: segments)
  }
}
