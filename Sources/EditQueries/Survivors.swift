import EditModel
import Projections
import TextState

/// The text of an old version that is still there in the newest one.
struct Survivors {
  private let old: TextState
  private let new: TextState
  /// In order in both versions.
  private let pieces: [(old: Range<Int>, location: Int)]

  init(of old: TextState, in new: TextState, _ fates: [UnitFate]) {
    (self.old, self.new) = (old, new)
    pieces = fates.compactMap { fate in fate.location.map { (fate.range.bounds, $0) } }
  }

  /// What of a range of the newest version a paragraph of the old one may replace: text of the paragraphs
  /// before and after it stays. O(pieces + units of the paragraphs at the edges).
  ///
  /// A join may have removed other units than a reader of the text would say. If `bees` and the next
  /// `The` are removed between `The bees` and `The cats`, what is left reads `The cats`, all of the second
  /// paragraph. So an edge moves over text that is equal to what a paragraph has lost there, if with it
  /// the paragraph is whole up to the edge.
  func extent(of paragraph: ParagraphDescriptor, within range: UTF16Range) -> UTF16Range {
    let content = old.content(of: paragraph).bounds
    var (lower, upper) = (range.location, range.upperBound)
    var own: Range<Int>?
    if let rest = survivor(of: content) {
      let start = start(of: content.lowerBound..<rest.old.lowerBound, before: rest.new.lowerBound)
      let end = end(of: rest.old.upperBound..<content.upperBound, after: rest.new.upperBound)
      let found = (start ?? rest.new.lowerBound)..<(end ?? rest.new.upperBound)
      (lower, upper) = (min(lower, found.lowerBound), max(upper, found.upperBound))
      own = found
    }
    if let before = survivor(of: 0..<paragraph.range.location), before.new.upperBound > lower {
      let bounds = neighbour(at: before.old.upperBound - 1)
      let lost = before.old.upperBound..<max(before.old.upperBound, bounds.upperBound)
      if let end = end(of: lost, after: before.new.upperBound) {
        lower = end
      } else if own.map({ $0.lowerBound >= before.new.upperBound }) ?? true {
        lower = before.new.upperBound
      }
    }
    if let after = survivor(of: paragraph.range.upperBound..<old.length),
      after.new.lowerBound < upper
    {
      let bounds = neighbour(at: after.old.lowerBound)
      if let start = start(
        of: bounds.lowerBound..<after.old.lowerBound, before: after.new.lowerBound)
      {
        upper = start
      } else if own.map({ $0.upperBound <= after.new.lowerBound }) ?? true {
        upper = after.new.lowerBound
      }
    }
    return UTF16Range(lower..<max(lower, upper))
  }

  /// What is left of a part of the old version, from its first unit to its last one, and where that is;
  /// nil if all of it is gone.
  private func survivor(of part: Range<Int>) -> (old: Range<Int>, new: Range<Int>)? {
    let rest = pieces.filter { $0.old.overlaps(part) }
    guard let first = rest.first, let last = rest.last else { return nil }
    let old = max(first.old.lowerBound, part.lowerBound)..<min(last.old.upperBound, part.upperBound)
    let start = first.location + old.lowerBound - first.old.lowerBound
    return (old, start..<last.location + old.upperBound - last.old.lowerBound)
  }

  /// The paragraph of the old version at an offset, without its terminator.
  private func neighbour(at offset: Int) -> Range<Int> {
    old.content(of: old.paragraph(at: old.paragraphIndex(at: offset))).bounds
  }

  /// Where the text before an offset begins, if it is that of a part of the old version.
  private func start(of part: Range<Int>, before offset: Int) -> Int? {
    let start = offset - part.count
    return start >= 0 && isEqual(part, start..<offset) ? start : nil
  }

  /// Where the text after an offset ends, if it is that of a part of the old version.
  private func end(of part: Range<Int>, after offset: Int) -> Int? {
    let end = offset + part.count
    return end <= new.length && isEqual(part, offset..<end) ? end : nil
  }

  private func isEqual(_ part: Range<Int>, _ range: Range<Int>) -> Bool {
    old.text(in: UTF16Range(part)) == new.text(in: UTF16Range(range))
  }
}
