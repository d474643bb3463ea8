public import EditModel

/// Seeded histories: every kind of entry, every kind of value, runs as editors make them, and
/// texts with lone surrogates. Each edit fits the text left by those before it.
public struct EntryGenerator {
  /// Where all choices come from.
  public var random: SplitMix64
  /// UTF-16 units in the text so far.
  public private(set) var length = 0
  private var sequence: SequenceNumber
  private var transaction: SequenceNumber = 0
  private var time: Int64
  private var author: String?
  private var session: SessionID?
  private var counter: UInt64 = 0
  private let eventKindCount: UInt64
  private let hasSelections: Bool
  /// True while edits have the selections that they leave.
  private var isSelecting = false

  /// A generator whose first edit comes after edit `sequence`. The stores of released formats have
  /// no events about sessions, and no selections. Selections may split surrogate pairs, which a daemon
  /// refuses.
  public init(
    seed: UInt64, after sequence: SequenceNumber = 0, hasSessions: Bool = true,
    hasSelections: Bool = true
  ) {
    random = SplitMix64(seed: seed)
    eventKindCount = hasSessions ? 10 : 7
    self.hasSelections = hasSessions && hasSelections
    self.sequence = sequence
    time = Int64(bitPattern: random.next() >> 2)
    if sequence > 0 { length = 1000 }
  }

  /// True once in `count` times.
  public mutating func chance(_ count: UInt64) -> Bool { random.next() % count == 0 }

  // MARK: Histories

  /// `count` entries or a few more: edits in runs, and events between them.
  public mutating func history(count: Int) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    while entries.count < count {
      switch random.next() % 8 {
      case 0, 1, 2: typingRun(&entries)
      case 3: removalRun(&entries, backwards: true)
      case 4: removalRun(&entries, backwards: false)
      case 5: styledRun(&entries)
      case 6: entries.append(.edit(edit(action())))
      default: if chance(3) { entries.append(.event(event())) }
      }
    }
    return entries
  }

  private mutating func typingRun(_ entries: inout [HistoryEntry]) {
    let size = chance(4) ? 2 : 1
    var location = Int.random(in: 0...length, using: &random)
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let text = UTF16Text(units: (0..<size).map { _ in unit() })
      entries.append(
        .edit(edit(EditAction(replacing: UTF16Range(location..<location), with: text))))
      location += size
    }
  }

  private mutating func removalRun(_ entries: inout [HistoryEntry], backwards: Bool) {
    let size = chance(4) ? 2 : 1
    var location = Int.random(in: 0...length, using: &random)
    for _ in 0..<Int.random(in: 1...30, using: &random) {
      if backwards { location -= size }
      guard location >= 0, location + size <= length else { return }
      let range = UTF16Range(location..<location + size)
      entries.append(.edit(edit(EditAction(replacing: range, with: UTF16Text()))))
    }
  }

  private mutating func styledRun(_ entries: inout [HistoryEntry]) {
    let size = Int.random(in: 1...2, using: &random)
    let runs = [AttributeRun(length: size, attributes: attributeSet())]
    let change: AttributeChange =
      chance(3) ? .set(runs) : chance(2) ? .merge(runs) : .remove(names())
    var location = Int.random(in: 0...length, using: &random)
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      let text = UTF16Text(units: (0..<size).map { _ in unit() })
      let range = UTF16Range(location..<location)
      guard let action = try? EditAction(range: range, replacement: text, attributes: change)
      else { return }
      entries.append(.edit(edit(action)))
      location += size
    }
  }

  // MARK: Entries

  /// The next edit of the history.
  public mutating func edit(_ action: EditAction) -> Edit {
    advance()
    let selection = selection(of: action)
    length += action.changeInLength
    if transaction == 0 || !chance(4) { transaction = sequence }
    let origin = Origin(rawValue: UInt8(random.next() % 9)) ?? .typing
    return Edit(
      sequence: sequence, action: action,
      origin: chance(8) ? origin : action.replacement?.isEmpty == true ? .removal : .typing,
      transaction: transaction, author: author, session: session, counter: counter,
      time: Timestamp(nanoseconds: time),
      clientTime: chance(10) ? Timestamp(nanoseconds: number()) : nil, selection: selection)
  }

  /// Mostly none, or carets that move with the edits; else any carets and ranges.
  private mutating func selection(of action: EditAction) -> EditSelection? {
    guard hasSelections else { return nil }
    if chance(12) { isSelecting.toggle() }
    guard isSelecting else { return nil }
    let (start, end) = (action.range.location, action.editedRange.upperBound)
    if !chance(8) {
      return try? EditSelection(
        before: [SelectedRange(start..<start)], after: [SelectedRange(end..<end)])
    }
    return try? EditSelection(
      before: chance(2) ? [] : carets(in: length),
      after: chance(2)
        ? [SelectedRange(action.editedRange, isReversed: chance(2))]
        : carets(in: length + action.changeInLength))
  }

  /// Some ranges of a text of `length` units, none of which overlap, in any order.
  private mutating func carets(in length: Int) -> [SelectedRange] {
    var (ranges, end): ([SelectedRange], Int) = ([], 0)
    for _ in 0..<random.next() % 4 {
      let start = min(length, end + 1 + Int(random.next() % 20))
      guard start > end else { break }
      end = min(length, start + Int(random.next() % 5))
      ranges.append(SelectedRange(start..<end, isReversed: chance(3)))
    }
    return ranges.shuffled(using: &random)
  }

  /// An event after the last edit.
  public mutating func event() -> HistoryEvent {
    HistoryEvent(
      kind: eventKind(), after: sequence, time: Timestamp(nanoseconds: time), author: author,
      session: session, counter: counter)
  }

  private mutating func advance() {
    sequence += 1
    if chance(50) { time = number() }
    time &+= Int64(random.next() % 500) * 1_000_000
    if chance(20) { author = chance(4) ? nil : name() }
    if chance(20) { session = chance(4) ? nil : SessionID("s" + name()) }
    counter = chance(30) ? UInt64(bitPattern: number()) : counter &+ (chance(5) ? 0 : 1)
  }

  private mutating func eventKind() -> HistoryEvent.Kind {
    switch random.next() % eventKindCount {
    case 0: .mark(label: name(), at: UInt64(bitPattern: number()))
    case 1: .baseline(digest())
    case 2: .saved(digest())
    case 3: .closed(unsaved: true)
    case 4: .closed(unsaved: false)
    case 5: .divergence(ours: digest(), theirs: digest())
    case 6: DocumentID("d" + name()).map { .renamed(from: $0) } ?? .closed(unsaved: false)
    case 7: .session(description())
    case 8:
      .undo(UndoneChange(undone: set(), redone: SequenceSet()), to: chance(2) ? nil : sequence)
    default:
      DocumentID("c" + name()).map { .copied(from: $0, at: UInt64(bitPattern: number())) }
        ?? .closed(unsaved: false)
    }
  }

  /// Some edits up to the last one.
  private mutating func set() -> SequenceSet {
    guard sequence > 0 else { return SequenceSet() }
    return SequenceSet(
      (0..<random.next() % 4).map { _ in
        let first = 1 + random.next() % sequence
        return first...min(sequence, first + random.next() % 100)
      })
  }

  private mutating func description() -> SessionDescription {
    let (version, host) = (chance(2) ? nil : "v" + name(), chance(2) ? nil : "h" + name())
    let process = UInt32(truncatingIfNeeded: random.next())
    return SessionDescription(
      client: "c" + name(), version: version, host: host,
      process: chance(2) || process == 0 ? nil : process) ?? description()
  }

  private mutating func digest() -> ContentDigest {
    let bytes = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return ContentDigest(bytes: bytes) ?? digest()
  }

  // MARK: Actions

  /// An action on the text so far: any range, any replacement, any attribute change.
  public mutating func action() -> EditAction {
    let location = Int.random(in: 0...length, using: &random)
    let most = min(length - location, chance(4) ? 200 : 5)
    let range = UTF16Range(location..<location + Int.random(in: 0...most, using: &random))
    let replacement =
      chance(3) ? nil : UTF16Text(units: units(max: chance(5) ? 300 : 8)).inEitherForm
    let change = attributeChange(length: replacement?.count ?? range.length)
    let action = try? EditAction(range: range, replacement: replacement, attributes: change)
    return action ?? EditAction(replacing: range, with: UTF16Text(units: units(max: 3)))
  }

  private mutating func attributeChange(length: Int) -> AttributeChange {
    switch random.next() % 5 {
    case 0: return .set(runs(length: length))
    case 1: return .merge(runs(length: length))
    case 2: return .remove(names())
    default: return .inherit
    }
  }

  private mutating func runs(length: Int) -> [AttributeRun] {
    var runs: [AttributeRun] = []
    var rest = length
    while rest > 0 {
      let size = Int.random(in: 1...rest, using: &random)
      runs.append(AttributeRun(length: size, attributes: attributeSet()))
      rest -= size
    }
    return runs
  }

  // MARK: Values

  /// At most `max` units, well formed or not.
  public mutating func units(max: Int) -> [UInt16] {
    (0..<Int.random(in: 0...max, using: &random)).map { _ in unit() }
  }

  /// A unit: mostly ASCII, some of each other kind.
  public mutating func unit() -> UInt16 {
    let bits = UInt16(truncatingIfNeeded: random.next())
    switch random.next() % 12 {
    case 0: return bits
    case 1: return 0xD800 | bits & 0x3FF
    case 2: return 0xDC00 | bits & 0x3FF
    case 3: return 0x80 + bits % 0x780
    case 4: return [0x0A, 0x0D, 0x2029, 0x0000, 0xFFFF, 0x7F, 0x80][Int(bits % 7)]
    default: return 0x20 + bits % 0x5F
    }
  }

  /// Up to three names with values of any kind.
  public mutating func attributeSet() -> AttributeSet {
    var set = AttributeSet()
    for _ in 0..<random.next() % 4 { set[name()] = attributeValue() }
    return set
  }

  /// A value of any kind, nested at most `depth` deep.
  public mutating func attributeValue(depth: Int = 3) -> AttributeValue {
    switch random.next() % (depth > 0 ? 7 : 5) {
    case 0: return .bool(chance(2))
    case 1: return .integer(number())
    case 2: return .double(double())
    case 3: return .string(name())
    case 4: return .bytes(units(max: 9).map { UInt8(truncatingIfNeeded: $0) })
    case 5:
      return .list((0..<random.next() % 4).map { _ in attributeValue(depth: depth - 1) })
    default:
      var set = AttributeSet()
      for _ in 0..<random.next() % 4 { set[name()] = attributeValue(depth: depth - 1) }
      return .map(set)
    }
  }

  /// A number of any size, often at an end of its range.
  public mutating func number() -> Int64 {
    let bits = Int64(bitPattern: random.next())
    return [0, 1, -1, .min, .max, bits, bits >> 20, bits >> 40, bits >> 56][
      Int(random.next() % 9)]
  }

  private mutating func double() -> Double {
    let bits = Double(bitPattern: random.next())
    let payload = Double(nan: 7, signaling: false)
    return [0, -0.0, .nan, payload, .infinity, -.infinity, .leastNonzeroMagnitude, bits][
      Int(random.next() % 8)]
  }

  private mutating func names() -> [String] { (0..<random.next() % 4).map { _ in name() } }

  /// A string: empty, plain, composed, decomposed, long.
  public mutating func name() -> String {
    let names = [
      "", "bold", "font", "é", "e\u{301}", "日本語", "👩‍🚀", "a\0b", "\u{FFFF}",
      String(repeating: "long ", count: 20),
    ]
    return names[Int(random.next() % UInt64(names.count))]
  }
}
