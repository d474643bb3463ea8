import EditModel
import TestSupport

@testable import EditLog
@testable import EditLogFormat

/// The stores in Fixtures, as the writer of each format makes them. What each makes must never
/// change: a later format gets recipes of its own.
enum StoreRecipe: String, CaseIterable, CustomStringConvertible {
  /// Three documents in one journal, in several batches.
  case journal
  /// Two documents in segments of several blocks: every kind of entry.
  case sealed
  /// A compacted document with more than a link of its chain, and checkpoints.
  case compacted
  /// Documents without folders, and one with its first segment beside its folder.
  case lone
  /// A document whose name changed before it was sealed and again since.
  case renamed
  /// A document with section 9 in its segment, as a draft of 1.0 had it and no writer ever wrote:
  /// it is refused.
  case redacted
  /// Two documents, one of which was forgotten.
  case forgotten
  /// Two documents with attachments, which their edits name.
  case attachments
  case unitBad = "unit-bad"
  case journalTorn = "journal-torn"
  case journalDamaged = "journal-damaged"
  case footerLost = "footer-lost"
  case nameBad = "name-bad"
  case formatBad = "format-bad"
  /// An incompatible flag in `format`.
  case storeNewer = "store-newer"
  /// An incompatible flag in one of two documents' segments.
  case segmentNewer = "segment-newer"
  /// Compatible flags and later minor versions everywhere, and an unknown section.
  case grown

  var description: String { rawValue }

  /// The recipes of a format.
  static func all(in format: ReleasedFormat) -> [StoreRecipe] {
    allCases.filter { format != .v1_0 || $0 != .lone && $0 != .attachments }
  }

  /// True if the store has bytes that zstd compressed.
  var isCompressed: Bool {
    switch self {
    case .journal, .journalTorn, .journalDamaged, .formatBad, .storeNewer, .attachments: false
    default: true
    }
  }

  /// The store and what is to be found in it.
  func make() throws -> ReleasedStore {
    switch self {
    case .journal: try Self.makeJournal()
    case .sealed: try Self.makeSealed()
    case .compacted: try Self.makeCompacted()
    case .lone: try Self.makeLone()
    case .renamed: try Self.makeRenamed()
    case .redacted: try Self.makeRedacted()
    case .forgotten: try Self.makeForgotten()
    case .attachments: try Self.makeAttachments()
    case .unitBad: try Self.makeUnitBad()
    case .journalTorn: try Self.makeTorn()
    case .journalDamaged: try Self.makeDamaged()
    case .footerLost: try Self.makeFooterLost()
    case .nameBad: try Self.makeNameBad()
    case .formatBad: try Self.makeFormatBad()
    case .storeNewer: try Self.makeStoreNewer()
    case .segmentNewer: try Self.makeSegmentNewer()
    case .grown: try Self.makeGrown()
    }
  }
}

// MARK: Sound stores

extension StoreRecipe {
  private static func makeJournal() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let lists = [
      (name("essay"), history(seed: 1, count: 24)),
      (name("ünïcode/😀.md"), history(seed: 2, count: 12)),
      (name("third"), history(seed: 3, count: 3)),
    ]
    let parts = lists.map { list in (list.0, halves(of: list.1)) }
    _ = try writer.append([(parts[0].0, parts[0].1.0), (parts[1].0, parts[1].1.0)])
    _ = try writer.append([(parts[0].0, parts[0].1.1)])
    try writer.confirm()
    _ = try writer.append([(parts[2].0, lists[2].1), (parts[1].0, parts[1].1.1)])
    try writer.close()
    var store = ReleasedStore(system: system)
    for (index, list) in lists.enumerated() {
      store.expected.documents.append(.init(UInt64(index + 1), list.0, list.1))
    }
    return store
  }

  private static func makeSealed() throws -> ReleasedStore {
    var options = releaseOptions
    (options.blockEditCountMax, options.segmentSizeMax) = (64, 3000)
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system, options)
    let lists = [
      (name("a"), history(seed: 4, count: 420)), (name("b"), history(seed: 5, count: 60)),
    ]
    let (first, second) = halves(of: lists[0].1)
    _ = try writer.append([(lists[0].0, first)])
    try writer.seal(lists[0].0)
    _ = try writer.append([(lists[0].0, second), lists[1]])
    try writer.sealAll()
    try writer.close()
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(1, lists[0].0, lists[0].1), .init(2, lists[1].0, lists[1].1)]
    return store
  }

  private static func makeLone() throws -> ReleasedStore {
    var options = releaseOptions
    (options.loneSegmentSizeMax, options.segmentSizeMax) = (4096, 1)
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system, options)
    let lists = [
      (name("a"), history(seed: 9, count: 3)), (name("b"), history(seed: 10, count: 40)),
      (name("c"), history(seed: 11, count: 1)),
    ]
    let (first, second) = halves(of: lists[1].1)
    _ = try writer.append([lists[0], (lists[1].0, first), lists[2]])
    try writer.sealAll()
    _ = try writer.append([(lists[1].0, second)])
    try writer.sealAll()
    try writer.close()
    var store = ReleasedStore(system: system)
    for (index, list) in lists.enumerated() {
      store.expected.documents.append(.init(UInt64(index + 1), list.0, list.1))
    }
    return store
  }

  private static func makeCompacted() throws -> ReleasedStore {
    var options = releaseOptions
    options.blockEditCountMax = 512
    options.compactedBlockEditCountMax = 1024
    options.compactionSizeMin = 100
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system, options)
    let document = name("long")
    let list = typing(count: 4500)
    _ = try writer.append([(document, Array(list[..<3000]))])
    try writer.seal(document)
    if let job = try writer.prepareCompaction(document) {
      job.run()
      try writer.finish(job)
    }
    _ = try writer.append([(document, Array(list[3000..<4400]))])
    try writer.seal(document)
    for sequence: SequenceNumber in [2000, 4096, 4300] {
      try writer.writeCheckpoint(document, at: sequence, Array("a state, after \(sequence)".utf8))
    }
    _ = try writer.append([(document, Array(list[4400...]))])
    try writer.close()
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(1, document, list)]
    return store
  }

  private static func makeRenamed() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let names = ["draft", "essay", "final"].map { name($0) }
    var list = history(seed: 6, count: 10)
    _ = try writer.append([(names[0], list)])
    for (old, new) in zip(names, names.dropFirst()) {
      let event = HistoryEvent(
        kind: .renamed(from: old), after: list.last?.place ?? 0,
        time: list.last?.time ?? Timestamp(nanoseconds: 0))
      _ = try writer.append([(new, [.event(event)])], renaming: [DocumentRename(old, to: new)])
      list.append(.event(event))
      if new == names[1] { try writer.seal(new) }
    }
    try writer.close()
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(1, names[2], list)]
    return store
  }
}

extension StoreRecipe {
  private static func makeRedacted() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let document = name("letter")
    var list = typing(count: 8300)
    let place = 4999
    guard case .edit(var edit) = list[place] else { return ReleasedStore(system: system) }
    edit.action = EditAction(replacing: edit.action.range, with: "hunter2 is my pässword 🔑")
    list[place] = .edit(edit)
    _ = try writer.append([(document, list)])
    try writer.sealAll()
    try writer.close()
    try SegmentRedaction(system).redact(SequenceNumber(place + 1), to: Filler.text(for:))
    var store = ReleasedStore(system: system)
    store.expected = Expectation(verdict: .damaged, refused: [1])
    return store
  }
}

extension StoreRecipe {
  private static func makeForgotten() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let list = typing(count: 20)
    _ = try writer.append([(name("secret"), typing(count: 10)), (name("kept"), list)])
    try writer.seal(name("secret"))
    _ = try writer.forget(name("secret"))
    try writer.close()
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(2, name("kept"), list)]
    return store
  }
}

extension StoreRecipe {
  /// The bytes of the attachments of each document. An empty one, and one of both documents.
  static let attachedBytes: [String: [[UInt8]]] = [
    "essay": [Array("a picture".utf8), []],
    "notes": [Array("a picture".utf8), (0..<300).map { UInt8(truncatingIfNeeded: $0) }],
  ]

  private static func makeAttachments() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    var store = ReleasedStore(system: system)
    for (index, document) in ["essay", "notes"].enumerated() {
      var list = typing(count: 3)
      _ = try writer.append([(name(document), list)])
      for content in attachedBytes[document] ?? [] {
        let stored = try writer.attach(content, to: name(document))?.attachment
        let attachment = Attachment(
          digest: stored?.digest, byteCount: content.count, name: "picture.png",
          type: "image/png", columns: 12, rows: 3)
        let action = try EditAction(
          range: UTF16Range(0..<0), replacement: UTF16Text(units: [Attachment.unit]),
          attributes: .set([AttributeRun(length: 1, attributes: attachment.attributes)]))
        let edit = HistoryEntry.edit(
          Edit(
            sequence: SequenceNumber(list.count + 1), action: action, origin: .program,
            author: "ann", session: SessionID("s"), counter: UInt64(list.count + 1),
            time: Timestamp(nanoseconds: Int64(list.count + 1) * 100_000_000)))
        _ = try writer.append([(name(document), [edit])])
        list.append(edit)
      }
      store.expected.documents.append(.init(UInt64(index + 1), name(document), list))
    }
    try writer.close()
    store.system = system
    return store
  }
}

// MARK: Histories

extension StoreRecipe {
  /// The options of the stores here: files of few bytes.
  static var releaseOptions: StoreWriter.Options {
    var options = StoreWriter.Options()
    (options.journalSizeMin, options.journalReserveStep) = (1000, 512)
    options.loneSegmentSizeMax = 0
    return options
  }

  static func openReleaseWriter(
    _ system: SimulatedFileSystem, _ options: StoreWriter.Options = releaseOptions
  ) throws -> StoreWriter {
    try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 1),
      options: options)
  }

  /// Entries of every kind, with times that advance as a clock's do.
  static func history(seed: UInt64, count: Int) -> [HistoryEntry] {
    var generator = EntryGenerator(seed: seed, hasSessions: false)
    var random = SplitMix64(seed: seed)
    var time: Int64 = 1_700_000_000_000_000_000
    var entries: [HistoryEntry] = []
    while entries.count < count {
      entries += generator.history(count: 4)
      var event = generator.event()
      entries.append(.event(event))
      event.kind = .mark(label: "draft \(event.after) é", at: event.after)
      if generator.chance(2) { entries.append(.event(event)) }
    }
    return entries.prefix(count).map { entry in
      time += Int64.random(in: 0...400, using: &random) * 1_000_000
      return entry.at(Timestamp(nanoseconds: time))
    }
  }

  /// Someone who types, key by key, and takes back every ninth.
  static func typing(count: Int) -> [HistoryEntry] {
    let letters = Array("the quick brown fox jumps over the lazy dog\n".utf16)
    var length = 0
    return (1...count).map { number in
      let isRemoval = number % 9 == 0
      let range = UTF16Range(isRemoval ? length - 1..<length : length..<length)
      let text = isRemoval ? [] : [letters[number % letters.count]]
      length += isRemoval ? -1 : 1
      return .edit(
        Edit(
          sequence: SequenceNumber(number),
          action: EditAction(replacing: range, with: UTF16Text(units: text)),
          origin: isRemoval ? .removal : .typing, author: "ann", session: SessionID("s"),
          counter: UInt64(number), time: Timestamp(nanoseconds: Int64(number) * 100_000_000)))
    }
  }

  static func halves(of entries: [HistoryEntry]) -> ([HistoryEntry], [HistoryEntry]) {
    (Array(entries[..<(entries.count / 2)]), Array(entries[(entries.count / 2)...]))
  }
}

extension HistoryEntry {
  fileprivate func at(_ time: Timestamp) -> HistoryEntry {
    switch self {
    case .edit(var edit):
      edit.time = time
      return .edit(edit)
    case .event(var event):
      event.time = time
      return .event(event)
    }
  }
}
