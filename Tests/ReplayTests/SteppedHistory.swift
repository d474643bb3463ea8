import EditLog
import EditLogFormat
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// A stored history with everything that steps are about: typing, transactions, attributes, marks,
/// saves, closings and sessions; and each version of it, folded edit by edit.
struct SteppedHistory {
  let system = SimulatedFileSystem()
  private(set) var entries: [HistoryEntry] = []
  /// `states[n]` is the version n.
  private(set) var states = [TextState()]
  private var random: SplitMix64

  static let document = DocumentID("file:///note.md")

  /// At least `editCount` edits, of which the last ones are not sealed.
  init(seed: UInt64, editCount: Int, checkpoints: Bool = true) throws {
    random = SplitMix64(seed: seed)
    for entry in MixedHistory(seed: seed, editCount: editCount / 2).entries { try add(entry) }
    while states.count <= editCount { try addTyping() }
    let document = try #require(Self.document)
    let writer = try writer()
    let sealedCount = entries.count * 9 / 10
    _ = try writer.append([(document, Array(entries[..<sealedCount]))])
    try writer.seal(document)
    if checkpoints {
      let job = try writer.prepareCheckpoints(document) { (sink) throws(LogError) in
        try CheckpointBuilder.run(sink, spacing: 100_000)
      }
      if let job {
        job.run()
        try writer.finish(job)
      }
    }
    _ = try writer.append([(document, Array(entries[sealedCount...]))])
    try writer.close()
  }

  /// Opens the store for writing; blocks and segments are short.
  func writer() throws -> StoreWriter {
    var options = StoreWriter.Options()
    (options.blockEditCountMax, options.segmentSizeMax) = (64, 20_000)
    return try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 1),
      options: options)
  }

  func replay(isVerified: Bool = false) throws -> Replay {
    let document = try #require(Self.document)
    let store = try Store.open(at: "/store", fileSystem: system)
    return Replay(try #require(try store.history(of: document)), isVerified: isVerified)
  }

  private var last: SequenceNumber { SequenceNumber(states.count - 1) }

  private mutating func add(_ entry: HistoryEntry) throws {
    entries.append(entry)
    guard case .edit(let edit) = entry else { return }
    var state = states[states.count - 1]
    try state.apply(edit.action)
    states.append(state)
  }

  private mutating func add(_ kind: HistoryEvent.Kind) throws {
    let time = entries.last?.time ?? Timestamp(nanoseconds: MixedHistory.start)
    try add(.event(HistoryEvent(kind: kind, after: last, time: time)))
  }

  /// A run of typed units somewhere, perhaps with a session, a save or a mark before it.
  private mutating func addTyping() throws {
    if Int.random(in: 0..<4, using: &random) == 0,
      let session = SessionDescription(client: "test", process: 1)
    {
      try add(.session(session))
    }
    if Int.random(in: 0..<6, using: &random) == 0,
      let digest = ContentDigest(bytes: [UInt8](repeating: 1, count: 32))
    {
      try add(.saved(digest))
    }
    if Int.random(in: 0..<8, using: &random) == 0 { try add(.mark(label: "here", at: last)) }
    let pause = Int64.random(in: 0..<20_000_000_000, using: &random)
    var time = (entries.last?.time.nanoseconds ?? MixedHistory.start) + pause
    let place = Int.random(in: 0...states[states.count - 1].length, using: &random)
    for offset in 0..<Int.random(in: 1..<60, using: &random) {
      let unit: UInt16 = Int.random(in: 0..<30, using: &random) == 0 ? 0x0A : 0x61
      time += 100_000_000
      let action = EditAction(
        replacing: UTF16Range(place + offset..<place + offset), with: UTF16Text(units: [unit]))
      try add(
        .edit(
          Edit(
            sequence: last + 1, action: action, origin: .typing, transaction: last + 1,
            author: "ada", session: SessionID("run"), counter: last + 1,
            time: Timestamp(nanoseconds: time))))
    }
  }
}
