import EditLogFormat
public import EditModel

/// The checkpoints of one document, of one series.
struct CheckpointFolder {
  /// What the checkpoints store.
  let series: CheckpointSeries
  private let directory: any Directory
  private let store: StoreID
  private let document: UInt64

  init(
    _ series: CheckpointSeries, in directory: any Directory, store: StoreID, document: UInt64
  ) {
    (self.series, self.directory) = (series, directory)
    (self.store, self.document) = (store, document)
  }

  /// The edits after which there are checkpoints, valid or not, ascending.
  func sequences() throws(LogError) -> [SequenceNumber] {
    StoreLayout.numbers(series.layout, in: try directory.names())
  }

  private func name(of sequence: SequenceNumber) -> String {
    StoreLayout.name(of: sequence, series.layout)
  }

  /// The path of a checkpoint, for messages.
  func path(of sequence: SequenceNumber) -> String {
    "\(directory.path)/\(name(of: sequence))"
  }

  /// The base of a checkpoint; 0 if it has none or is not valid.
  func base(of sequence: SequenceNumber) throws(LogError) -> SequenceNumber {
    try front(sequence)?.0.base ?? 0
  }

  /// A checkpoint without its payload; nil if it is missing or not valid.
  private func front(_ sequence: SequenceNumber) throws(LogError) -> (CheckpointFile, any File)? {
    let file: any File
    do { file = try directory.open(name(of: sequence), .read) } catch {
      if error.isMissing { return nil }
      throw error
    }
    let bytes = try file.read(CheckpointFile.frontSize, at: 0)
    return CheckpointFile(
      bytes, of: series, fileSize: try file.size(), store: store, document: document,
      sequence: sequence
    ).map { ($0, file) }
  }

  /// The state that was stored after the edit `sequence`. Nil if the checkpoint, or one that it
  /// refers to, is not valid, or if its head differs from the one that `head` returns.
  /// States that others refer to are taken from `cache`, and kept there.
  func content(
    at sequence: SequenceNumber, head: HeadSource? = nil, cache: CheckpointCache? = nil
  ) throws(LogError) -> CheckpointFile.Content? {
    guard let (front, file) = try front(sequence), let payload = try front.payload(of: file),
      try front.isOfHistory(head)
    else { return nil }
    // A base has a lower depth, so this ends.
    guard front.base > 0 else { return front.content(of: payload, against: nil) }
    var base = cache?.base(front.base)
    if base == nil {
      base = try content(at: front.base, cache: cache)
      if let base { cache?.keep(base) }
    }
    guard let base, base.depth < front.depth else { return nil }
    return front.content(of: payload, against: base)
  }

  /// Stores a state, compressed against `base`. Returns false, and stores nothing, if the ratio of
  /// compression is above the one that readers accept.
  func write(
    _ content: CheckpointFile.Content, against base: CheckpointFile.Content?, head: ChainHead,
    level: Int
  ) throws(LogError) -> Bool {
    let name = name(of: content.sequence)
    let temporary = name + "." + StoreLayout.Kind.temporary.rawValue
    try directory.removeIfPresent(temporary)
    let bytes = CheckpointFile.encode(
      content, of: series, against: base, store: store, document: document, head: head,
      level: level)
    guard
      CheckpointFile.isPayable(
        content.bytes.count, against: base, by: bytes.count - CheckpointFile.frontSize)
    else { return false }
    assert(isReadable(bytes, of: content, head), "readers would skip the checkpoint")
    do throws(LogError) {
      // Not flushed: readers skip what a crash leaves of it.
      try directory.open(temporary, .create).writeAll(bytes, at: 0)
      try directory.rename(temporary, to: name, in: directory)
    } catch {
      try? directory.remove(temporary)
      throw error
    }
    return true
  }

  /// True if a reader takes these bytes for the checkpoint of `content`.
  private func isReadable(
    _ bytes: [UInt8], of content: CheckpointFile.Content, _ head: ChainHead
  ) -> Bool {
    let front = CheckpointFile(
      Array(bytes.prefix(CheckpointFile.frontSize)), of: series, fileSize: bytes.count,
      store: store, document: document, sequence: content.sequence)
    guard let front, front.head == head, front.size == content.bytes.count,
      front.depth == content.depth, front.checksum == content.checksum
    else { return false }
    return front.isPayload(Array(bytes.dropFirst(CheckpointFile.frontSize)))
  }

  /// Removes the checkpoints that cannot be used: those that are damaged, after the edit `last`, of
  /// another document, store, version or history, or whose base cannot be used. States are not
  /// decompressed. Heads are compared if `head` is given.
  @discardableResult
  func removeBad(
    through last: SequenceNumber, head: HeadSource? = nil
  ) throws(LogError) -> [CheckpointFile] {
    var good: [SequenceNumber: CheckpointFile] = [:]
    for sequence in try sequences() {
      if sequence <= last, let (front, file) = try front(sequence), isBased(front, on: good),
        try front.payload(of: file) != nil, try front.isOfHistory(head)
      {
        good[sequence] = front
      } else {
        try remove(sequence)
      }
    }
    return good.values.sorted { $0.sequence < $1.sequence }
  }

  private func isBased(_ front: CheckpointFile, on good: [SequenceNumber: CheckpointFile]) -> Bool {
    guard front.base > 0 else { return true }
    return good[front.base].map { front.refers(toDepth: $0.depth, checksum: $0.checksum) } ?? false
  }

  /// Removes checkpoints until they have at most `sizeMax` bytes together, but never the newest.
  ///
  /// The next one removed is the one without dependents whose removal leaves the smallest gap in
  /// proportion to its age, in edits. So old versions are kept farther apart than new ones.
  func thin(_ checkpoints: [CheckpointFile], to sizeMax: Int) throws(LogError) {
    var left = checkpoints
    var size = left.reduce(0) { $0 + $1.payloadSize + CheckpointFile.frontSize }
    while size > sizeMax, let newest = left.last, left.count > 1 {
      let bases = Set(left.map(\.base))
      let gaps = left.indices.dropLast().filter { !bases.contains(left[$0].sequence) }.map {
        let before = $0 > 0 ? left[$0 - 1].sequence : 0
        let age = newest.sequence - left[$0].sequence
        return (position: $0, gap: Double(left[$0 + 1].sequence - before) / Double(age))
      }
      guard let next = gaps.min(by: { $0.gap < $1.gap }) else { return }
      let removed = left.remove(at: next.position)
      size -= removed.payloadSize + CheckpointFile.frontSize
      try remove(removed.sequence)
    }
  }

  func remove(_ sequence: SequenceNumber) throws(LogError) {
    try directory.removeIfPresent(name(of: sequence))
  }
}

/// The head of a history's chain after an edit; nil if it is not known. It may be expensive, so it
/// is called only when everything else about a checkpoint is valid.
typealias HeadSource = (SequenceNumber) throws(LogError) -> ChainHead?

extension CheckpointFile {
  /// The payload; nil if it has changed since it was written.
  fileprivate func payload(of file: any File) throws(LogError) -> [UInt8]? {
    let payload = try file.read(payloadSize, at: Self.frontSize)
    return isPayload(payload) ? payload : nil
  }

  /// True if its head is the one that `head` returns for its edit, or if `head` is nil.
  fileprivate func isOfHistory(_ head: HeadSource?) throws(LogError) -> Bool {
    guard let head else { return true }
    return try head(sequence) == self.head
  }
}

extension History {
  /// The newest usable checkpoint at or before the edit `sequence`, and the edit after which it was
  /// stored. Checkpoints that are not valid are skipped: they are a cache.
  public func checkpoint(
    atOrBefore sequence: SequenceNumber, of series: CheckpointSeries = .states
  ) throws(LogError) -> (sequence: SequenceNumber, bytes: [UInt8])? {
    guard let folder = checkpointFolder(series) else { return nil }
    let cache = checkpointCache(series)
    for candidate in try cache.sequences(folder.sequences).reversed()
    where candidate <= min(sequence, lastSequence)
      && trust.mayUse(CheckpointPlace(series, candidate))
    {
      do throws(LogError) {
        let content = try folder.content(at: candidate, head: head(at:), cache: cache)
        if let content, trust.uses(content, of: series) { return (candidate, content.bytes) }
      } catch {
        if error.isUnreadable { cache.note(obstacle: error) }
      }
    }
    return nil
  }
}
