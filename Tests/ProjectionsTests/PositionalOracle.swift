import EditModel
import Projections
import TestSupport
import Testing

/// The positional rule word for word, on the texts of paragraphs: slow and plain. What
/// `PositionalParagraphs` is compared with.
struct PositionalOracle {
  private(set) var ids = [ParagraphID(sequence: 0, ordinal: 0)]
  private(set) var pieces: [[UInt16]] = [[]]

  /// Applies a transaction of these edits, of which the first has number `sequence`, and returns
  /// the callbacks. Nothing where an edit does not fit.
  mutating func process(_ edits: [EditAction], sequence: SequenceNumber) -> [ParagraphCallback] {
    // The extent: all units before and after it are untouched by the edits.
    let old = pieces.flatMap { $0 }
    var (text, before, after) = (old, Int.max, Int.max)
    for edit in edits {
      before = min(before, edit.range.location)
      after = min(after, text.count - edit.range.upperBound)
      if let new = edit.replacement { text.replaceSubrange(edit.range.bounds, with: new.units) }
    }
    var callbacks: [ParagraphCallback] = []
    if edits.contains(where: { $0.replacement != nil }) {
      callbacks = replace(
        before..<old.count - after, by: before..<text.count - after, text, sequence)
    }
    let edited = before..<text.count - after
    guard !edited.isEmpty else { return callbacks }
    let (first, last) = (index(at: edited.lowerBound), index(at: edited.upperBound - 1))
    for index in Set([first, last]).sorted() {
      callbacks.append(.shouldSetStyle(index: index, descriptor: descriptor(index)))
    }
    return callbacks
  }

  private mutating func replace(
    _ oldRange: Range<Int>, by newRange: Range<Int>, _ text: [UInt16], _ sequence: SequenceNumber
  ) -> [ParagraphCallback] {
    let new = OracleState.split(text)
    var anchor = index(at: oldRange.lowerBound)
    let (before, after) = counts(oldRange, newRange, new, text, anchor: &anchor)

    var callbacks: [ParagraphCallback] = []
    for _ in 0..<max(0, before - after) {
      callbacks.append(.willDelete(index: anchor + 1, descriptor: descriptor(anchor + 1)))
      // Its text stays with the anchor, so that those after it keep their old ranges.
      ids.remove(at: anchor + 1)
      pieces[anchor] += pieces.remove(at: anchor + 1)
    }
    let added = max(0, after - before)
    for number in 0..<added {
      ids.insert(
        ParagraphID(sequence: sequence, ordinal: UInt32(number)), at: anchor + before + number)
    }
    pieces = new
    for place in 0..<after - added {
      callbacks.append(.didEdit(index: anchor + place, descriptor: descriptor(anchor + place)))
    }
    for place in after - added..<after {
      callbacks.append(.didAdd(index: anchor + place, descriptor: descriptor(anchor + place)))
    }
    return callbacks
  }

  /// Paragraphs in the extent before and after. The reference counts newlines and adds one; that
  /// is right only where no edit cuts or makes a CR LF, so it is asked where there is no CR.
  private func counts(
    _ oldRange: Range<Int>, _ newRange: Range<Int>, _ new: [[UInt16]], _ text: [UInt16],
    anchor: inout Int
  ) -> (before: Int, after: Int) {
    let old = pieces.flatMap { $0 }
    let reach = index(at: oldRange.upperBound)
    if anchor > 0, old[oldRange.lowerBound - 1] == 0x0D,
      oldRange.lowerBound == descriptor(anchor).range.location,
      text.dropFirst(oldRange.lowerBound).first == 0x0A
    {
      anchor -= 1
    }
    let before = reach - anchor + 1
    let after = before + new.count - pieces.count
    if !(old + text).contains(0x0D) {
      func newlines(_ units: ArraySlice<UInt16>) -> Int {
        units.count { $0 == 0x0A || $0 == 0x2029 }
      }
      #expect(before == newlines(old[oldRange]) + 1 && after == newlines(text[newRange]) + 1)
    }
    return (before, after)
  }

  private func index(at offset: Int) -> Int {
    var end = 0
    let index = pieces.firstIndex { piece in
      end += piece.count
      return offset < end
    }
    return index ?? pieces.count - 1
  }

  private func descriptor(_ index: Int) -> ParagraphDescriptor {
    let start = pieces[..<index].reduce(0) { $0 + $1.count }
    return ParagraphDescriptor(
      id: ids[index], range: UTF16Range(start..<start + pieces[index].count))
  }
}
