import EditModel
import TextState

/// Paragraph tracking by a flat list of descriptors, for comparison. It has the costs of the
/// commonly used algorithm on purpose, which are quadratic for large deletions.
///
/// It counts terminators by splitting old and new text, finds the first paragraph from the start of
/// the list, removes surplus descriptors from the middle one by one, has an observer search each of
/// them in the list, and moves every later descriptor. Identity is positional: the first touched
/// paragraph and those after it keep their descriptors in order.
struct LinearParagraphs {
  /// Identifier and range: 32 bytes, of which the identifier takes 16.
  struct Descriptor: Equatable {
    let id: ParagraphID
    var location: Int
    var length: Int
  }

  private(set) var units: [UInt16]
  private(set) var descriptors: [Descriptor]
  private let clock: TraceClock
  private var sequence: SequenceNumber
  private var durations: [UInt64]

  /// The paragraphs of `state`. O(n), not timed.
  init(_ state: TextState, clock: @escaping TraceClock) {
    units = state.text.units
    descriptors = state.paragraphs.map {
      Descriptor(id: $0.id, location: $0.range.location, length: $0.range.length)
    }
    (self.clock, sequence) = (clock, state.sequence)
    durations = Array(repeating: 0, count: LinearPhase.allCases.count)
  }

  /// Replaces characters, and returns the measured cost. The action must fit the text.
  mutating func apply(_ action: EditAction) -> LinearTrace {
    let replacement = action.replacement ?? UTF16Text()
    sequence += 1
    durations = durations.map { _ in 0 }
    let start = clock()

    let reach = meetsCarriageReturn(action) ? 1 : 0
    let anchor = time(.locate) { $0.anchor(of: action.range.location - reach) }
    let from = descriptors[anchor].location
    let (end, isLast, before) = time(.count) {
      $0.oldPieces(from: from, to: action.range.upperBound)
    }
    time(.text) { $0.units.replaceSubrange(action.range.bounds, with: replacement.units) }
    let newEnd = end + replacement.count - action.range.length
    let pieces = time(.count) { Self.cut($0.units[from..<newEnd], isLast: isLast) }

    let bytesMoved = remove(max(0, before - pieces.count), after: anchor)
    time(.shift) {
      $0.place(pieces, at: anchor, surplus: max(0, pieces.count - before), from: from)
    }
    return LinearTrace(
      spans: spans(from: start), bytesMoved: bytesMoved,
      notificationCount: max(0, before - pieces.count))
  }

  /// True if the edit puts an LF after a CR: then the paragraph before it is touched too.
  private func meetsCarriageReturn(_ action: EditAction) -> Bool {
    let (range, new) = (action.range, action.replacement?.units ?? [])
    guard range.location > 0, units[range.location - 1] == 0x0D else { return false }
    let next = new.first ?? (range.upperBound < units.count ? units[range.upperBound] : nil)
    return next == 0x0A
  }

  /// The index of the paragraph at `offset`, searched from the start of the list.
  private func anchor(of offset: Int) -> Int {
    let index = descriptors.firstIndex { offset < $0.location + $0.length }
    return index ?? descriptors.count - 1
  }

  /// The end of the paragraph at `offset`, whether it is the last one (an empty one may follow it),
  /// and the number of pieces of the text from `from` to this end.
  private func oldPieces(from: Int, to offset: Int) -> (end: Int, isLast: Bool, count: Int) {
    let index = anchor(of: offset)
    let end = descriptors[index].location + descriptors[index].length
    let isLast = index == descriptors.count - 1
    return (end, isLast, Self.cut(units[from..<end], isLast: isLast).count)
  }

  /// Splits text after each terminator. If `isLast`, the rest is a piece too, even if it is empty.
  private static func cut(_ units: ArraySlice<UInt16>, isLast: Bool) -> [[UInt16]] {
    var pieces: [[UInt16]] = []
    var start = units.startIndex
    for index in units.indices {
      let isHalf = units[index] == 0x0D && index + 1 < units.endIndex && units[index + 1] == 0x0A
      guard units[index] == 0x0A || units[index] == 0x0D || units[index] == 0x2029, !isHalf
      else { continue }
      pieces.append(Array(units[start...index]))
      start = index + 1
    }
    if start < units.endIndex || isLast { pieces.append(Array(units[start...])) }
    return pieces
  }

  /// Announces and removes the descriptor after `anchor`, `count` times. Returns the bytes moved.
  private mutating func remove(_ count: Int, after anchor: Int) -> UInt64 {
    var bytesMoved: UInt64 = 0
    for _ in 0..<count where anchor + 1 < descriptors.count {
      let id = descriptors[anchor + 1].id
      let index = time(.notify) { $0.descriptors.firstIndex { $0.id == id } } ?? anchor + 1
      time(.remove) { _ = $0.descriptors.remove(at: index) }
      let moved = (descriptors.count - index) * MemoryLayout<Descriptor>.stride
      bytesMoved &+= UInt64(moved)
    }
    return bytesMoved
  }

  /// Sets the descriptors of the pieces, and moves all later descriptors.
  private mutating func place(_ pieces: [[UInt16]], at anchor: Int, surplus: Int, from: Int) {
    for ordinal in 0..<surplus {
      let id = ParagraphID(sequence: sequence, ordinal: UInt32(truncatingIfNeeded: ordinal))
      descriptors.insert(
        Descriptor(id: id, location: 0, length: 0), at: anchor + pieces.count - surplus + ordinal)
    }
    for (index, piece) in pieces.enumerated() { descriptors[anchor + index].length = piece.count }
    var location = from
    for index in anchor..<descriptors.count {
      descriptors[index].location = location
      location += descriptors[index].length
    }
  }

  private mutating func time<Result>(
    _ phase: LinearPhase, _ body: (inout Self) -> Result
  ) -> Result {
    let start = clock()
    let result = body(&self)
    let duration = max(clock(), start) - start
    for (index, other) in LinearPhase.allCases.enumerated() where other == phase {
      durations[index] &+= duration
    }
    return result
  }

  private func spans(from start: UInt64) -> [TraceSpan<LinearPhase>] {
    var start = start
    return zip(LinearPhase.allCases, durations).map { phase, duration in
      defer { start &+= duration }
      return TraceSpan(phase: phase, start: start, duration: duration)
    }
  }
}
