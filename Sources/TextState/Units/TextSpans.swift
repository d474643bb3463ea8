/// Spans of a text: in order, without overlap, each with a number.
///
/// A span is kept as the distance from the end of the span before it. So an edit changes the spans
/// that it touches and the next one, whatever their number: O(log n + spans touched). It is a value;
/// a copy shares its nodes.
package struct TextSpans: Sendable {
  /// A span and its number.
  package struct Span: Hashable, Sendable {
    /// The first unit, in UTF-16 units of the text.
    package var start: Int
    /// UTF-16 units; at least 1.
    package var length: Int
    /// The number that its owner gave it.
    package var number: Int

    /// A span.
    package init(start: Int, length: Int, number: Int) {
      (self.start, self.length, self.number) = (start, length, number)
    }

    /// The unit after the last.
    package var end: Int { start + length }
  }

  private var tree: GapTree<SpanRecord>
  /// The place between two spans where the last edits were. Text is mostly typed on there.
  private var gap: Gap?

  /// A place between two spans, whose width is not yet in the tree.
  private struct Gap {
    /// The index of the span after it, which is `count` at the end.
    var index: Int
    /// Where it begins.
    var start: Int
    /// The end of the span after it; the largest number if there is none.
    var nextEnd: Int
    /// UTF-16 units to add to the distance of the span after it.
    var shift = 0
  }

  /// No spans.
  package init() { tree = GapTree() }

  /// No spans, in a tree of these limits.
  init(limits: TreeLimits) { tree = GapTree(limits: limits) }

  /// The number of spans.
  package var count: Int { tree.count }

  /// The index of the first span that ends after `offset`, and the end of the span before it. O(log n).
  package func first(endingAfter offset: Int) -> (index: Int, previousEnd: Int) {
    var shift = 0
    if let gap, gap.start <= offset {
      if offset < gap.nextEnd { return (gap.index, gap.start) }
      shift = gap.shift
    }
    let place = tree.seek { $0.measure.units <= offset - shift }
    return (place.index, place.measure.units + shift)
  }

  /// The span at `index`; `previousEnd` is the end of the span before it. O(1) near the last change,
  /// else O(log n).
  package func span(at index: Int, after previousEnd: Int) -> Span {
    let record = tree[index]
    return Span(
      start: previousEnd + Int(record.lead) + shift(at: index), length: Int(record.length),
      number: Int(record.number))
  }

  /// Puts `spans` in the place of those at `range`, and moves the ones after them by `shift` units.
  /// O(log n + spans).
  ///
  /// - Parameters:
  ///   - range: The indices of the spans that are removed.
  ///   - previousEnd: The end of the span before them.
  ///   - spans: The new spans, in the text after the edit.
  ///   - oldEnd: The end of the last removed span, or `previousEnd`, in the text before the edit.
  ///   - shift: What the edit adds to the length of the text.
  package mutating func replace(
    _ range: Range<Int>, after previousEnd: Int, with spans: [Span], oldEnd: Int, shift: Int
  ) {
    if range.isEmpty, spans.isEmpty {
      return widen(at: range.lowerBound, after: previousEnd, by: shift)
    }
    closeGap()
    if !isKnownUniquelyReferenced(&tree) { tree = tree.copy() }
    var end = previousEnd
    let next = range.upperBound < tree.count ? tree[range.upperBound] : nil
    var records: [SpanRecord] = []
    for span in spans {
      records.append(
        SpanRecord(
          lead: UInt32(span.start - end), length: UInt32(span.length),
          number: UInt32(span.number)))
      end = span.end
    }
    guard var next else { return tree.replace(range, with: records) }
    next.lead = UInt32(oldEnd + Int(next.lead) + shift - end)
    records.append(next)
    tree.replace(range.lowerBound..<range.upperBound + 1, with: records)
  }

  /// Adds to the distance between the span that ends at `start` and the one at `index`.
  private mutating func widen(at index: Int, after start: Int, by shift: Int) {
    if gap?.index != index {
      closeGap()
      let next = index < count ? span(at: index, after: start).end : nil
      gap = Gap(index: index, start: start, nextEnd: next ?? .max)
    }
    gap?.shift += shift
    if index < count { gap?.nextEnd += shift }
  }

  /// Writes the width of the gap into the tree.
  private mutating func closeGap() {
    guard let gap = gap.take(), gap.shift != 0, gap.index < tree.count else { return }
    if !isKnownUniquelyReferenced(&tree) { tree = tree.copy() }
    var next = tree[gap.index]
    next.lead = UInt32(Int(next.lead) + gap.shift)
    tree.update(gap.index, next)
  }

  /// What is to be added to the distance of a span.
  private func shift(at index: Int) -> Int {
    if let gap, gap.index == index { gap.shift } else { 0 }
  }

  /// All spans in order. O(spans).
  package var all: [Span] {
    var (spans, end) = ([Span](), 0)
    tree.withChunks(in: 0..<tree.count) { chunk in
      for record in chunk {
        let start = end + Int(record.lead) + shift(at: spans.count)
        spans.append(
          Span(start: start, length: Int(record.length), number: Int(record.number)))
        end = start + Int(record.length)
      }
    }
    return spans
  }
}

/// A span, by its distance from the one before. A text has at most `Int32.max` units.
struct SpanRecord: TreeElement {
  /// Units between the end of the span before, or the start of the text, and this one.
  var lead: UInt32
  var length: UInt32
  var number: UInt32

  var measure: SpanMeasure { SpanMeasure(units: Int(lead) + Int(length)) }

  static var leafCountMax: Int { 128 }
}

/// What spans add up to.
struct SpanMeasure: TreeMeasure, Equatable {
  /// Units up to the end of the last span.
  var units = 0

  static var zero: Self { Self() }
  static func + (left: Self, right: Self) -> Self { Self(units: left.units + right.units) }
  static func - (left: Self, right: Self) -> Self { Self(units: left.units - right.units) }
}
