import EditModel

/// A replacement of a range of a text.
struct TextReplacement: Hashable, Sendable {
  /// The range, in UTF-16 units of the text before.
  var range: Range<Int>
  /// The text in its place.
  var text: ArraySlice<UInt16>
  /// The edit that inserts each unit of the text: its index among the edits.
  var edits: ArraySlice<Int32>
  /// The last edit that removes units of the range, or inserts some of the text: its index.
  var lastEdit: Int32

  /// What it adds to the length of the text.
  var change: Int { text.count - range.count }
}

/// The replacements that edits make together: ascending, with ranges of the text before the first
/// edit. A unit that no edit removed stands between two of them.
///
/// A group of edits that go from the start of the text to its end, or from its end to its start, is
/// composed in O(edits); another one in O(edits · replacements), up to a bound.
struct EditComposition: Sendable {
  /// The maximum number of steps: replacements passed and moved, and units copied. 16,000 edits at
  /// random places stay below it.
  private static let stepCountMax = 1 << 27
  private var stepCount = 0

  private var composed: [TextReplacement] = []
  /// What they add to the length of the text.
  private var change = 0
  /// Edits that go from the end of the text to its start, while there are no others.
  private var descending: [TextReplacement] = []

  /// What these edits make. Each edit's range refers to the text after the edit before it. Nil if it
  /// takes too many steps to say.
  static func replacements(of actions: [EditAction]) -> [TextReplacement]? {
    var composition = EditComposition()
    for (index, action) in actions.enumerated() {
      guard let text = action.replacement else { continue }
      let edit = Int32(clamping: index)
      let edits = [Int32](repeating: edit, count: text.count)
      composition.append(
        TextReplacement(
          range: action.range.bounds, text: text.units[...], edits: edits[...], lastEdit: edit))
      if composition.stepCount > stepCountMax { return nil }
    }
    return composition.composed.isEmpty
      ? composition.descending.reversed() : composition.composed
  }

  private mutating func append(_ edit: TextReplacement) {
    if composed.isEmpty {
      if descending.last.map({ edit.range.upperBound < $0.range.lowerBound }) ?? true {
        return descending.append(edit)
      }
      composed = descending.reversed()
      change = composed.reduce(0) { $0 + $1.change }
      descending = []
    }
    compose(edit)
  }

  /// Adds an edit of the text after the edits so far.
  private mutating func compose(_ edit: TextReplacement) {
    let range = edit.range
    // The replacements from `first` to `end` touch the range. `shift` is what those before `first` add
    // to the length of the text, `endShift` what those before `end` do.
    var (first, shift) = (0, 0)
    var isAtEnd = false
    if let last = composed.last, last.range.lowerBound + change - last.change <= range.lowerBound {
      (first, shift, isAtEnd) = (composed.count - 1, change - last.change, true)
    }
    while first < composed.count,
      composed[first].range.lowerBound + shift + composed[first].text.count < range.lowerBound
    {
      shift += composed[first].change
      first += 1
    }
    var (end, endShift) = (first, shift)
    while end < composed.count, composed[end].range.lowerBound + endShift <= range.upperBound {
      endShift += composed[end].change
      end += 1
    }
    stepCount += (isAtEnd ? 0 : first) + composed.count - end
    change += edit.change
    var (lower, upper) = (range.lowerBound - shift, range.upperBound - endShift)
    var merged = edit
    if first < end {
      let (head, tail) = (composed[first], composed[end - 1])
      let kept = max(0, lower - head.range.lowerBound)
      let rest = max(0, tail.range.upperBound - upper)
      merged.text = (head.text.prefix(kept) + edit.text + tail.text.suffix(rest))[...]
      merged.edits = (head.edits.prefix(kept) + edit.edits + tail.edits.suffix(rest))[...]
      stepCount += merged.text.count
      lower = min(lower, head.range.lowerBound)
      upper = max(upper, tail.range.upperBound)
    }
    merged.range = lower..<upper
    composed.replaceSubrange(first..<end, with: [merged])
  }
}
