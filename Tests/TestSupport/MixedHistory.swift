public import EditModel

/// A seeded history of edits that fit each other, with events, transactions, origins, authors
/// and times as they really come: many equal, none decreasing.
public struct MixedHistory: Sendable {
  /// The entries in order.
  public private(set) var entries: [HistoryEntry] = []
  /// The time before every entry.
  public static let start: Int64 = 1_700_000_000_000_000_000

  private var generator: EditGenerator
  private var length = 0
  private var sequence: SequenceNumber = 0
  private var transaction: SequenceNumber = 0
  private var time = Self.start

  /// A history of this many edits.
  public init(seed: UInt64, editCount: Int) {
    generator = EditGenerator(seed: seed)
    while sequence < editCount {
      addEvents()
      addEdit()
    }
    addEvents()
  }

  /// These entries.
  public init(_ entries: [HistoryEntry]) {
    (self.entries, generator) = (entries, EditGenerator(seed: 0))
  }

  /// The edits alone.
  public var edits: [Edit] {
    entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
  }

  /// The events alone.
  public var events: [HistoryEvent] {
    entries.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  private mutating func addEdit() {
    let action = generator.action(length: length)
    guard action.range.upperBound <= length else { return }
    length += action.changeInLength
    sequence += 1
    if generator.below(3) > 0 || transaction == 0 { transaction = sequence }
    entries.append(
      .edit(
        Edit(
          sequence: sequence, action: action,
          origin: Origin.allCases[generator.below(Origin.allCases.count)],
          transaction: transaction, author: [nil, "ada", "brix"][generator.below(3)],
          session: SessionID("run"), counter: sequence, time: nextTime())))
  }

  private mutating func addEvents() {
    guard generator.below(4) == 0 else { return }
    for _ in 0...generator.below(3) {
      entries.append(.event(HistoryEvent(kind: kind(), after: sequence, time: nextTime())))
    }
  }

  private mutating func nextTime() -> Timestamp {
    time += [0, 1, 1_000, 3_000_000_000][generator.below(4)]
    return Timestamp(nanoseconds: time)
  }

  private mutating func kind() -> HistoryEvent.Kind {
    let digest = ContentDigest(bytes: [UInt8](repeating: UInt8(generator.below(256)), count: 32))
    switch (generator.below(4), digest) {
    case (0, let digest?): return .saved(digest)
    case (1, _): return .closed(unsaved: generator.below(2) == 0)
    // Composed and decomposed, two names that look alike.
    default:
      return .mark(
        label: ["draft", "é", "e\u{301}", "sent"][generator.below(4)],
        at: SequenceNumber(generator.below(Int(sequence) + 1)))
    }
  }
}
