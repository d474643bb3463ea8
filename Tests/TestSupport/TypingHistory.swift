public import EditModel

/// A seeded history of someone who types in pieces, slips and corrects, composes, types over selections,
/// jumps, pastes, pauses and sets marks; and where its undo steps begin, by a slow rule that looks at all of it.
public struct TypingHistory: Sendable {
  /// The entries in order.
  public private(set) var entries: [HistoryEntry] = []

  private var random: SplitMix64
  private var text: [UInt16] = []
  private var caret = 0
  private var nanoseconds: Int64 = 0
  private var author: String?
  /// The edits before which a mark or the end of a session stands.
  private var ends: Set<SequenceNumber> = []

  /// A history of this many edits.
  public init(seed: UInt64, editCount: Int) {
    random = SplitMix64(seed: seed)
    while edits.count < editCount { act() }
  }

  /// The edits alone.
  public var edits: [Edit] {
    entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
  }

  private mutating func act() {
    switch below(14) {
    case 0:
      // Who goes one unit on and deletes it could have pressed the delete key.
      let place = below(text.count + 1)
      if place != caret + 1 { caret = place }
    case 1: for _ in 0...below(4) { delete(1) }
    case 2: delete(2)
    case 3: edit(caret..<caret, "pasted", .paste)
    case 4:
      let sequence = SequenceNumber(edits.count)
      ends.insert(sequence + 1)
      let kind: HistoryEvent.Kind =
        below(2) == 0 ? .mark(label: "m", at: sequence) : .closed(unsaved: true)
      entries.append(.event(HistoryEvent(kind: kind, after: sequence, time: time)))
    case 5: nanoseconds += 5_000_000_000
    case 6: author = ["ada", "brix"][below(2)]
    case 7:
      var start = caret - min(caret, below(3))
      for piece in ["n", "ni", "nih", "你好"].prefix(below(5)) {
        edit(start..<caret, piece, .typing)
        start = caret - piece.utf16.count
      }
    case 8: edit(caret - min(caret, 1 + below(4))..<caret, piece(), .typing)
    default: edit(caret..<caret, piece(), .typing)
    }
  }

  private mutating func piece() -> String {
    let texts = ["a", "bc", "🙂", "long piece ", "end\n", "\r\n", "two\nlines"]
    return texts[below(texts.count)]
  }

  private mutating func delete(_ count: Int) {
    guard caret >= count else { return }
    edit(caret - count..<caret, "", below(3) == 0 ? .typing : .removal)
  }

  private mutating func edit(_ range: Range<Int>, _ text: String, _ origin: Origin) {
    nanoseconds += Int64(below(3)) * 2_400_000_000
    // An edit that changes nothing makes no step.
    guard !self.text[range].elementsEqual(text.utf16) else { return }
    let action = EditAction(replacing: UTF16Range(range), with: UTF16Text(text))
    self.text.replaceSubrange(range, with: text.utf16)
    caret = action.editedRange.upperBound
    entries.append(
      .edit(
        Edit(
          sequence: SequenceNumber(edits.count + 1), action: action, origin: origin, author: author,
          time: time)))
  }

  private var time: Timestamp { Timestamp(nanoseconds: nanoseconds) }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}

extension TypingHistory {
  private enum Stroke { case typing, backspace, other }

  /// The edits with which the undo steps begin, ascending.
  public var stepStarts: [SequenceNumber] {
    var steps: [[Edit]] = []
    for edit in edits {
      if let step = steps.last, continues(edit, step) {
        steps[steps.count - 1].append(edit)
      } else {
        steps.append([edit])
      }
    }
    var index = 0
    while index + 2 < steps.count {
      if isCorrection(steps[index + 1], after: steps[index], before: steps[index + 2]) {
        steps.replaceSubrange(index...index + 2, with: [steps[index...index + 2].flatMap(\.self)])
      } else {
        index += 1
      }
    }
    return steps.map { $0[0].sequence }
  }

  /// True if the edit and the last one of the step are strokes of one kind at one place.
  private func continues(_ edit: Edit, _ step: [Edit]) -> Bool {
    let (stroke, last) = (stroke(edit), step[step.count - 1])
    guard stroke != .other, stroke == self.stroke(last), isNear(edit, last) else { return false }
    guard stroke == .typing else {
      return last.action.range.length == 1 && edit.action.range.length == 1
    }
    if edit.action.range.isEmpty { return true }
    // A composition: each piece of it, from a single character on, is replaced by the next.
    guard edit.action.range == last.action.editedRange else { return false }
    let first = step.indices.last { $0 == 0 || step[$0].action.range.isEmpty || isKey(step[$0]) }
    return first.map { isKey(step[$0]) } ?? false
  }

  private func isKey(_ edit: Edit) -> Bool {
    edit.action.replacement.map { String(decoding: $0.units, as: UTF16.self).unicodeScalars.count }
      == 1
  }

  private func isCorrection(_ step: [Edit], after first: [Edit], before next: [Edit]) -> Bool {
    guard let typed = first.last, let last = step.last, stroke(typed) == .typing else {
      return false
    }
    return step.allSatisfy { stroke($0) == .backspace }
      && step.reduce(0) { $0 + $1.action.range.length } <= 2
      && isNear(step[0], typed) && stroke(next[0]) == .typing && next[0].action.range.isEmpty
      && isNear(next[0], last)
  }

  /// True if an edit ends where the last one did, soon after it.
  private func isNear(_ edit: Edit, _ last: Edit) -> Bool {
    edit.action.range.upperBound == last.action.editedRange.upperBound
      && edit.author == last.author && !ends.contains(edit.sequence)
      && edit.time.nanoseconds - last.time.nanoseconds < 5_000_000_000
  }

  private func stroke(_ edit: Edit) -> Stroke {
    let text = edit.action.replacement?.units ?? []
    if edit.origin == .paste { return .other }
    if text.isEmpty { return .backspace }
    let line = text.suffix(2) == [13, 10] ? text.dropLast(2) : text.dropLast()
    return line.contains(10) ? .other : .typing
  }
}
