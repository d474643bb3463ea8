import EditModel

/// Fills containers with text from a place on.
struct PageFlow<Text: AttributedStorage, Formats: ParagraphFormats> {
  private let text: Text
  private let formats: Formats
  private let (tabStop, casing, windows): (Int, DisplayCase, ParagraphWindows)
  /// The next place; nil at the text's end.
  private(set) var place: FlowPlace?
  private(set) var work = LayoutWork()
  /// The paragraph of `place`.
  private var paragraph: Paragraph?

  private struct Paragraph {
    let index: Int
    let range: UTF16Range
    let content: Range<Int>
    let format: ParagraphFormat
    /// The window that was scanned last.
    var scanned: (window: ParagraphWindows.Window, clusters: ScannedWindow)?
  }

  init(
    _ text: Text, _ formats: Formats, from place: FlowPlace, tabStop: Int, casing: DisplayCase,
    windows: ParagraphWindows
  ) {
    (self.text, self.formats) = (text, formats)
    (self.tabStop, self.casing, self.windows) = (tabStop, casing, windows)
    self.place = place.paragraph >= 0 && place.paragraph < text.paragraphCount ? place : nil
  }

  /// Fills a container, and returns its rows up to the last that has text.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - collects: False if the rows are not needed: the result is then empty.
  mutating func fill(_ container: GridContainer, collects: Bool) -> [GridRow] {
    let slots = (0..<container.height).map { container.slots(inRow: $0) }
    // The widest slot in each row and below it, and one 0.
    var widest = [0]
    for row in slots.reversed() {
      widest.append(max(widest[widest.count - 1], row.map(\.count).max() ?? 0))
    }
    widest.reverse()
    var rows: [GridRow] = []
    for row in slots.indices {
      guard let place else { break }
      let filled = fillRow(slots[row], at: place, width: container.width, below: widest[row + 1])
      work.rows += 1
      if collects { rows.append(filled) }
    }
    return rows
  }

  private mutating func fillRow(
    _ slots: [Range<Int>], at start: FlowPlace, width: Int, below: Int
  ) -> GridRow {
    let paragraph = paragraph(of: start, width: width)
    if let place = place, skipBlank(of: paragraph, at: place) {
      return GridRow(paragraph: paragraph.index, place: nil, kind: .blank, fragments: [])
    }
    var fragments: [GridFragment] = []
    for index in slots.indices {
      guard let place, place.paragraph == start.paragraph, place.part == .text else { break }
      var slot = slots[index]
      if index == 0, slot.count > paragraph.format.indent {
        slot = slot.lowerBound + paragraph.format.indent..<slot.upperBound
      }
      let wider = max(below, slots[(index + 1)...].map(\.count).max() ?? 0)
      guard let (fragment, endsRow) = fragment(in: slot, from: place.done, widerSlot: wider)
      else { continue }
      fragments.append(fragment)
      if endsRow { break }
    }
    let kind: GridRow.Kind =
      fragments.isEmpty ? .blank : fragments.allSatisfy { $0.clusters.isEmpty } ? .extra : .text
    return GridRow(paragraph: paragraph.index, place: nil, kind: kind, fragments: fragments)
  }

  /// The fragment in a slot, or nil if a slot that comes later is wider, and the next word does not
  /// fit here. The place moves on after it.
  private mutating func fragment(
    in slot: Range<Int>, from done: Int, widerSlot: Int
  ) -> (GridFragment, endsRow: Bool)? {
    guard let (window, scanned) = scannedWindow(at: done), let paragraph else { return nil }
    let first = scanned.clusterIndex(at: done - scanned.start)
    let count = scanned.clusters.count
    let breaker = RowBreaker(window: scanned, tabStop: tabStop)
    let row =
      first < count
      ? breaker.row(from: first, width: slot.count)
      : RowBreaker.Row(end: first, isBrokenWord: false)
    if row.isBrokenWord, widerSlot > slot.count { return nil }
    let fragment = scanned.fragment(
      first..<row.end, column: slot.lowerBound, width: slot.count, tabStop: tabStop,
      location: paragraph.range.location, isBrokenWord: row.isBrokenWord)
    if row.end < count {
      let next = scanned.clusters[row.end]
      place = FlowPlace(
        paragraph: paragraph.index, part: .text, done: scanned.start + next.start)
      return (fragment, next.breakBefore == .mandatory)
    }
    if !window.isLast {
      place = FlowPlace(
        paragraph: paragraph.index, part: .text, done: scanned.start + scanned.units.count)
      return (fragment, scanned.endsWithLineBreak)
    }
    if first < count, scanned.endsWithLineBreak {
      // The empty row after a line break in the last paragraph.
      place = FlowPlace(paragraph: paragraph.index, part: .text, done: paragraph.range.length)
    } else {
      place = FlowPlace(paragraph: paragraph.index, part: .after, done: 0)
      moveOn(from: paragraph)
    }
    return (fragment, true)
  }

  /// Takes one blank row if one comes next.
  private mutating func skipBlank(of paragraph: Paragraph, at place: FlowPlace) -> Bool {
    switch place.part {
    case .text: return false
    case .before:
      guard place.done < paragraph.format.rowsBefore else {
        self.place = FlowPlace(paragraph: place.paragraph, part: .text, done: 0)
        return false
      }
      self.place = FlowPlace(
        paragraph: place.paragraph, part: .before, done: place.done + 1)
      return true
    case .after:
      self.place = FlowPlace(paragraph: place.paragraph, part: .after, done: place.done + 1)
      moveOn(from: paragraph)
      return true
    }
  }

  /// Goes to the next paragraph if all blank rows after this one are placed.
  private mutating func moveOn(from paragraph: Paragraph) {
    guard let place, place.part == .after, place.done >= paragraph.format.rowsAfter else { return }
    let next = place.paragraph + 1
    self.place =
      next < text.paragraphCount ? FlowPlace(paragraph: next, part: .before, done: 0) : nil
  }

  private mutating func paragraph(of place: FlowPlace, width: Int) -> Paragraph {
    if let paragraph, paragraph.index == place.paragraph { return paragraph }
    let range = text.paragraphRange(at: place.paragraph)
    let length = range.length - text.terminatorLength(of: range, at: place.paragraph)
    let new = Paragraph(
      index: place.paragraph, range: range, content: range.location..<range.location + length,
      format: formats.format(ofParagraph: place.paragraph).clamped(width: width))
    paragraph = new
    return new
  }

  private mutating func scannedWindow(
    at done: Int
  ) -> (window: ParagraphWindows.Window, clusters: ScannedWindow)? {
    guard var paragraph else { return nil }
    let offset = paragraph.range.location + min(max(done, 0), paragraph.range.length)
    if let scanned = paragraph.scanned, scanned.window.content.contains(offset) {
      return scanned
    }
    let window = windows.window(at: offset, in: paragraph.content, of: text)
    let end = window.isLast ? paragraph.range.upperBound : window.content.upperBound
    let clusters = ScannedWindow(
      text.units(in: UTF16Range(window.content.lowerBound..<end)),
      terminatorLength: end - window.content.upperBound,
      start: window.content.lowerBound - paragraph.range.location, casing: casing)
    work.windows += 1
    work.units += clusters.units.count
    paragraph.scanned = (window, clusters)
    self.paragraph = paragraph
    return (window, clusters)
  }
}
