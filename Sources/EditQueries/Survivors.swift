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

  // MARK: A paragraph that is there

  /// Where a paragraph of the old version is; nil if it was removed.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph.
  ///   - id: Its identifier.
  ///   - place: Where its units are, dead or not.
  ///   - typed: What was typed over them, with them.
  func place(
    of paragraph: LostParagraph, _ id: ParagraphID, _ place: UTF16Range, typedOver typed: UTF16Range
  ) -> UTF16Range? {
    let now = new.paragraph(id)?.descriptor
    let line = now.map { new.content(of: $0) }
    guard !paragraph.content.isEmpty else { return line?.isEmpty == true ? line : nil }
    if let own = survivor(of: paragraph.content.bounds), isThere(paragraph.content) {
      if let now, let line, own.new.overlaps(now.range.bounds) {
        // Of a paragraph that was split, all parts are replaced.
        return UTF16Range(
          min(line.location, place.location)..<max(line.upperBound, place.upperBound))
      }
      // Words of it in the line of another paragraph are a part of that.
      let isWhole = count(of: paragraph.content.bounds) == paragraph.content.length
      let extent = extent(of: paragraph, within: place)
      return isWhole || isEqual(paragraph.content.bounds, extent.bounds) ? place : nil
    }
    guard let now, let line else { return nil }
    // Its line, but for the end of the text, which is always there.
    if line.isEmpty { return now.range.isEmpty ? nil : line }
    let isTyped = !typed.isEmpty && typed.bounds.overlaps(line.bounds)
    return isTyped && !hasPieces(in: line, outside: paragraph.content) ? line : nil
  }

  /// What of a range of the newest version a paragraph of the old one may replace: text of the paragraphs
  /// before and after it stays. O(pieces + units of the paragraphs at the edges).
  ///
  /// A join may have removed other units than a reader of the text would say. If `bees` and the next
  /// `The` are removed between `The bees` and `The cats`, what is left reads `The cats`, all of the second
  /// paragraph. So an edge moves over text that is equal to what a paragraph has lost there, if with it
  /// the paragraph is whole up to the edge.
  func extent(of paragraph: LostParagraph, within range: UTF16Range) -> UTF16Range {
    let content = paragraph.content.bounds
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
      let lost = bounds.lowerBound..<after.old.lowerBound
      if let start = start(of: lost, before: after.new.lowerBound) {
        upper = start
      } else if own.map({ $0.upperBound <= after.new.lowerBound }) ?? true {
        upper = after.new.lowerBound
      }
    }
    upper = max(lower, upper)
    // The space that has taken the place of a line break.
    if isSpace(at: upper) { upper += 1 }
    if lower > 0, isSpace(at: lower - 1) { lower -= 1 }
    return UTF16Range(lower..<upper)
  }

  /// True if the newest version has a space at an offset that the old one had not.
  private func isSpace(at offset: Int) -> Bool {
    guard offset < new.length else { return false }
    let range = UTF16Range(offset..<offset + 1)
    return new.text(in: range) == " " && !hasPieces(in: range)
  }

  // MARK: A removed paragraph

  /// Where a removed paragraph belongs: at `offset`, if that is between its nearest neighbours that are
  /// there, else beside the neighbour that `offset` is beyond. And the copy of it that stands between them,
  /// if it was restored already.
  ///
  /// A neighbour that was removed and restored, or typed over, has other units. Then it is a paragraph
  /// without old units: of the same text, or with its identifier and the text of no other one.
  /// O(pieces + paragraphs · log pieces).
  func neighbours(
    of paragraph: LostParagraph, near offset: Int
  ) -> (offset: Int, copy: UTF16Range?) {
    func lines(_ index: Int) -> UTF16Range? {
      let content = old.content(of: old.paragraph(at: index))
      guard isThere(content), let rest = survivor(of: content.bounds) else { return nil }
      return new.lines(of: UTF16Range(rest.new))
    }
    let earlier = (0..<paragraph.index).reversed().lazy
    let later = (paragraph.index + 1..<max(paragraph.index + 1, old.paragraphCount)).lazy
    // Copies are looked for between the nearest old lines: others may have the same text.
    let first = earlier.compactMap(lines).first?.upperBound ?? 0
    let last = later.compactMap(lines).first { $0.location >= first }?.location ?? new.length
    let known = Lines(of: old) { _ in true }
    let fresh = Lines(of: new) { line in
      line.location >= first && line.upperBound <= last && !hasPieces(in: line)
    }
    func neighbour(_ index: Int) -> UTF16Range? {
      let descriptor = old.paragraph(at: index)
      let content = old.content(of: descriptor)
      if content.isEmpty { return nil }
      if let lines = lines(index) { return lines }
      let copies = fresh.lines(like: content, of: old)
      if let nearest = copies.min(by: { abs($0.location - offset) < abs($1.location - offset) }) {
        return nearest
      }
      guard let now = new.paragraph(descriptor.id)?.descriptor else { return nil }
      let line = new.content(of: now)
      let isOther = line.isEmpty || hasPieces(in: line) || !known.lines(like: line, of: new).isEmpty
      return isOther ? nil : line
    }
    let before = earlier.compactMap(neighbour).first
    let start = before?.upperBound ?? 0
    // A neighbour that has moved before the other one says nothing.
    let after = later.compactMap(neighbour).first.flatMap { $0.location < start ? nil : $0 }
    let runs = old.attributeRuns(in: paragraph.content)
    let copy = fresh.lines(like: paragraph.content, of: old).first { copy in
      copy.location >= start && copy.upperBound <= after?.location ?? .max
        && new.attributeRuns(in: copy) == runs
    }
    if let before, offset <= before.location {
      let last = new.paragraph(at: new.paragraphIndex(at: before.upperBound))
      return (last.range.upperBound, copy)
    }
    if let after, offset > after.location { return (after.location, copy) }
    return (offset, copy)
  }

  /// Lines of a version, found by their text.
  private struct Lines {
    private let version: TextState
    private var lines: [Int: [UTF16Range]] = [:]

    /// Those of a version, without terminators and empty ones, for which `isOne` is true.
    init(of version: TextState, where isOne: (UTF16Range) -> Bool) {
      self.version = version
      for paragraph in version.paragraphs {
        let content = version.content(of: paragraph)
        if !content.isEmpty, isOne(content) { lines[content.length, default: []].append(content) }
      }
    }

    /// The lines that have the text of a range of a version.
    func lines(like range: UTF16Range, of other: TextState) -> [UTF16Range] {
      guard let candidates = lines[range.length] else { return [] }
      let text = other.text(in: range)
      return candidates.filter { version.text(in: $0) == text }
    }
  }

  /// True if at least half of a part of the old version is there.
  private func isThere(_ part: UTF16Range) -> Bool {
    let count = count(of: part.bounds)
    return count > 0 && count * 2 >= part.length
  }

  /// How many units of a part of the old version are there.
  private func count(of part: Range<Int>) -> Int {
    indices(of: part).reduce(0) { $0 + pieces[$1].old.clamped(to: part).count }
  }

  /// True if a range of the newest version has units of the old one, but for those of a part of that.
  private func hasPieces(in range: UTF16Range, outside part: UTF16Range? = nil) -> Bool {
    let first = pieces.partitionPoint { $0.location + $0.old.count <= range.location }
    return pieces[first...].prefix { $0.location < range.upperBound }.contains { piece in
      part.map { piece.old.clamped(to: $0.bounds) != piece.old } ?? true
    }
  }

  // MARK: Parts

  /// What is left of a part of the old version, from its first unit to its last one, and where that is;
  /// nil if all of it is gone.
  private func survivor(of part: Range<Int>) -> (old: Range<Int>, new: Range<Int>)? {
    let indices = indices(of: part)
    guard let first = indices.first, let last = indices.last else { return nil }
    let (lower, upper) = (pieces[first], pieces[last])
    let old =
      max(lower.old.lowerBound, part.lowerBound)..<min(upper.old.upperBound, part.upperBound)
    let start = lower.location + old.lowerBound - lower.old.lowerBound
    return (old, start..<upper.location + old.upperBound - upper.old.lowerBound)
  }

  /// The pieces with units of a part of the old version. O(log pieces).
  private func indices(of part: Range<Int>) -> Range<Int> {
    let first = pieces.partitionPoint { $0.old.upperBound <= part.lowerBound }
    return first..<max(first, pieces.partitionPoint { $0.old.lowerBound < part.upperBound })
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
