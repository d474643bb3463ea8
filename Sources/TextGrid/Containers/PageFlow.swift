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
  /// An attachment that has more rows than are left goes to the next container. One that fits into
  /// none like this, because of its height or of holes, is cut to half the rows, and so on.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - collects: False if the rows are not needed: the result is then empty.
  mutating func fill(_ container: GridContainer, collects: Bool) -> [GridRow] {
    let start = place
    var rowsMax = container.height
    while true {
      let rows = fill(container, collects: collects, rowsMax: rowsMax)
      if rowsMax == 1 || place == nil || place != start { return rows }
      rowsMax /= 2
    }
  }

  private mutating func fill(
    _ container: GridContainer, collects: Bool, rowsMax: Int
  ) -> [GridRow] {
    let slots = (0..<container.height).map { container.slots(inRow: $0) }
    // The widest slot in each row and below it, and one 0.
    var widest = [0]
    for row in slots.reversed() {
      widest.append(max(widest[widest.count - 1], row.map(\.count).max() ?? 0))
    }
    widest.reverse()
    var rows: [GridRow] = []
    var row = 0
    while row < slots.count, let place {
      var filled = fillRow(
        slots[row], at: place, width: container.width, below: widest[row + 1], rowsMax: rowsMax)
      work.rows += 1
      // The text that is beside an attachment depends on its height, which depends on the text.
      var height = 1
      while let wanted = filled.objects.map(\.rows).max(), wanted > height {
        self.place = place
        // The rest of the container is too low for it.
        guard row + wanted <= slots.count else { return rows }
        height = wanted
        filled = fillRow(
          Self.common(slots[row..<row + height]), at: place, width: container.width,
          below: widest[row + 1], rowsMax: rowsMax)
        work.rows += 1
      }
      // What had no room in the cells that are left comes on a row below.
      height = filled.objects.map(\.rows).max() ?? 1
      if collects {
        rows.append(filled)
        for below in 1..<height { rows.append(GridRow(below, below: filled, place: nil)) }
      }
      row += height
    }
    return rows
  }

  /// The cells that are free in all of some rows.
  private static func common(_ rows: ArraySlice<[Range<Int>]>) -> [Range<Int>] {
    rows.dropFirst().reduce(rows.first ?? []) { common, row in
      common.flatMap { slot in
        row.filter { $0.overlaps(slot) }.map { $0.clamped(to: slot) }
      }
    }
  }

  private mutating func fillRow(
    _ slots: [Range<Int>], at start: FlowPlace, width: Int, below: Int, rowsMax: Int
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
      // The rows below are indented too.
      let wider = max(
        below - paragraph.format.indent, slots[(index + 1)...].map(\.count).max() ?? 0)
      guard
        let (fragment, endsRow) = fragment(
          in: slot, from: place.done, widerSlot: wider, rowsMax: rowsMax)
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
    in slot: Range<Int>, from done: Int, widerSlot: Int, rowsMax: Int
  ) -> (GridFragment, endsRow: Bool)? {
    guard let (window, scanned) = scannedWindow(at: done), let paragraph else { return nil }
    let first = scanned.clusterIndex(at: done - scanned.start)
    let count = scanned.clusters.count
    let breaker = RowBreaker(window: scanned, tabStop: tabStop)
    let row =
      first < count
      ? breaker.row(from: first, width: slot.count)
      : RowBreaker.Row(end: first, isBrokenWord: false)
    let isCut = first < count && scanned.clusters[first].isObject(widerThan: slot.count)
    if row.isBrokenWord || isCut, widerSlot > slot.count { return nil }
    let fragment = scanned.fragment(
      first..<row.end, column: slot.lowerBound, width: slot.count, tabStop: tabStop,
      location: paragraph.range.location, isBrokenWord: row.isBrokenWord, rowsMax: rowsMax)
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
    let start = window.content.lowerBound
    let units = text.units(in: UTF16Range(start..<end))
    let clusters = ScannedWindow(
      units, terminatorLength: end - window.content.upperBound,
      start: start - paragraph.range.location, casing: casing,
      objects: ObjectSize.all(in: units, at: start, of: text))
    work.windows += 1
    work.units += clusters.units.count
    paragraph.scanned = (window, clusters)
    self.paragraph = paragraph
    return (window, clusters)
  }
}

extension Cluster {
  /// True for an attachment that takes more than `cells`.
  fileprivate func isObject(widerThan cells: Int) -> Bool { kind == .object && self.cells > cells }
}
