public import EditModel

/// Lays a text out on a grid of cells, of which it looks only at the part that is asked for.
///
/// The cost of showing rows depends on their number and width, not on the text's length; `work` counts
/// it. Rows are named by their place (`RowPlace`). Their number in the whole text is an estimate, until
/// it is asked for: see `rowNumber(of:in:_:)`.
///
/// The rows of paragraphs with identifiers are kept, as long as they are in view. After an edit, call
/// `invalidate(_:)` for the paragraphs that changed.
public struct GridLayout: Sendable {
  /// How text is laid out.
  public let options: GridOptions
  /// The work done so far.
  public internal(set) var work = LayoutWork()

  /// Windows that are kept outside of a view, at most: they may be part of the next.
  private static let spareMax = 4

  let windows: ParagraphWindows
  private var kept: [KeptWindow: WindowRows] = [:]
  /// The windows of the view that is being laid out; nil if there is none.
  private var showing: Set<KeptWindow>?

  private struct KeptWindow: Hashable {
    let paragraph: ParagraphID
    let window: Int
  }

  /// A layout.
  public init(options: GridOptions) { self.init(options: options, windows: .standard) }

  /// A layout with windows of another length, for tests.
  init(options: GridOptions, windows: ParagraphWindows) {
    (self.options, self.windows) = (options, windows)
  }

  // MARK: - Rows

  /// The rows from `start` on. If the text has fewer, all of them. O(rows + the windows that they are
  /// in).
  ///
  /// - Parameters:
  ///   - start: The first row. If there is no such row, the last one before it.
  ///   - count: Rows, at most.
  ///   - lengthMax: UTF-16 units after which no further row begins.
  ///   - text: The text.
  ///   - formats: The space around paragraphs.
  public mutating func rows(
    from start: RowPlace, count: Int, lengthMax: Int = .max, of text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> [GridRow] {
    var (rows, length) = ([GridRow](), 0)
    showing = []
    var place: RowPlace? = nearest(start, in: text, formats)
    while let next = place, rows.count < count, length < lengthMax {
      let window = window(of: next, in: text, formats)
      let location = text.paragraphRange(at: next.paragraph).location
      for index in next.row..<window.count {
        guard rows.count < count, length < lengthMax else { break }
        let place = RowPlace(paragraph: next.paragraph, window: next.window, row: index)
        let row = window.row(at: place, location: location, options: options)
        length += row.units?.length ?? 0
        rows.append(row)
      }
      place = after(next, window, in: text)
    }
    if let showing { kept = kept.filter { showing.contains($0.key) } }
    showing = nil
    return rows
  }

  /// The place of the row that holds the unit at `offset`; the last row if it is the text's end.
  public mutating func place(
    of offset: Int, in text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> RowPlace {
    let offset = min(max(offset, 0), text.length)
    let paragraph = text.paragraphIndex(at: offset)
    let range = text.paragraphRange(at: paragraph)
    let window = windows.window(
      at: offset, in: content(of: range, at: paragraph, in: text), of: text)
    let rows = self.rows(of: window, range, at: paragraph, in: text, formats)
    return RowPlace(
      paragraph: paragraph, window: window.index, row: rows.row(at: offset - range.location))
  }

  /// The place `count` rows below `place`, or above it if `count` is negative; the last or the first
  /// row if there are fewer. O(rows + the windows between).
  public mutating func place(
    _ count: Int, from place: RowPlace, in text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> RowPlace {
    var place = nearest(place, in: text, formats)
    var left = count
    while left > 0 {
      let window = window(of: place, in: text, formats)
      if left < window.count - place.row {
        return RowPlace(
          paragraph: place.paragraph, window: place.window, row: place.row + left)
      }
      guard let next = after(place, window, in: text) else {
        return RowPlace(
          paragraph: place.paragraph, window: place.window, row: window.count - 1)
      }
      left -= window.count - place.row
      place = next
    }
    while left < 0 {
      if place.row >= -left {
        return RowPlace(
          paragraph: place.paragraph, window: place.window, row: place.row + left)
      }
      left += place.row + 1
      let end: RowPlace
      if place.window > 0 {
        end = RowPlace(paragraph: place.paragraph, window: place.window - 1)
      } else if place.paragraph > 0 {
        let range = text.paragraphRange(at: place.paragraph - 1)
        let content = content(of: range, at: place.paragraph - 1, in: text)
        end = RowPlace(
          paragraph: place.paragraph - 1, window: windows.last(in: content, of: text).index)
      } else {
        return .first
      }
      place = RowPlace(
        paragraph: end.paragraph, window: end.window,
        row: window(of: end, in: text, formats).count - 1)
    }
    return place
  }

  // MARK: - Edits

  /// Forgets the rows of a paragraph, because its units changed. Formats and the sizes of attachments
  /// are compared, and other attributes do not move rows. O(rows in view).
  public mutating func invalidate(_ paragraph: ParagraphID) {
    kept = kept.filter { $0.key.paragraph != paragraph }
  }

  /// Windows whose rows are kept.
  public var keptCount: Int { kept.count }

  // MARK: - Windows

  /// The place itself, or the last row before it.
  private mutating func nearest(
    _ place: RowPlace, in text: some AttributedStorage, _ formats: some ParagraphFormats
  ) -> RowPlace {
    guard place.paragraph >= 0 else { return .first }
    guard place.paragraph < text.paragraphCount else {
      return self.place(of: text.length, in: text, formats)
    }
    let range = text.paragraphRange(at: place.paragraph)
    let content = content(of: range, at: place.paragraph, in: text)
    let window =
      windows.window(max(place.window, 0), in: content, of: text)
      ?? windows.last(in: content, of: text)
    let count = rows(of: window, range, at: place.paragraph, in: text, formats).count
    return RowPlace(
      paragraph: place.paragraph, window: window.index,
      row: window.index == place.window ? min(max(place.row, 0), count - 1) : count - 1)
  }

  /// The first row after the window of `place`; nil if there is none.
  private func after(
    _ place: RowPlace, _ window: WindowRows, in text: some AttributedStorage
  ) -> RowPlace? {
    if !window.isLast {
      return RowPlace(paragraph: place.paragraph, window: place.window + 1)
    }
    return place.paragraph + 1 < text.paragraphCount
      ? RowPlace(paragraph: place.paragraph + 1) : nil
  }

  /// The rows of the window of `place`, which there is.
  private mutating func window(
    of place: RowPlace, in text: some AttributedStorage, _ formats: some ParagraphFormats
  ) -> WindowRows {
    let range = text.paragraphRange(at: place.paragraph)
    let content = content(of: range, at: place.paragraph, in: text)
    let window =
      windows.window(place.window, in: content, of: text) ?? windows.last(in: content, of: text)
    return rows(of: window, range, at: place.paragraph, in: text, formats)
  }

  /// A paragraph without its terminator.
  func content(
    of range: UTF16Range, at index: Int, in text: some AttributedStorage
  ) -> Range<Int> {
    range.location..<range.upperBound - text.terminatorLength(of: range, at: index)
  }

  mutating func rows(
    of window: ParagraphWindows.Window, _ range: UTF16Range, at paragraph: Int,
    in text: some AttributedStorage, _ formats: some ParagraphFormats
  ) -> WindowRows {
    let format = formats.format(ofParagraph: paragraph)
    let key = text.paragraphID(at: paragraph).map {
      KeptWindow(paragraph: $0, window: window.index)
    }
    let start = window.content.lowerBound
    if let key {
      showing?.insert(key)
      if let rows = kept[key], rows.format == format,
        rows.scanned.objects == ObjectSize.all(in: rows.scanned.units, at: start, of: text)
      {
        return rows
      }
    }
    let end = window.isLast ? range.upperBound : window.content.upperBound
    let units = text.units(in: UTF16Range(start..<end))
    let scanned = ScannedWindow(
      units, terminatorLength: end - window.content.upperBound, start: start - range.location,
      casing: options.casing, objects: ObjectSize.all(in: units, at: start, of: text),
      namesInvisible: options.namesInvisible, spacesMarks: options.spacesMarks)
    let rows = WindowRows(
      scanned, options: options, format: format, isFirst: window.index == 0,
      isLast: window.isLast)
    work.windows += 1
    work.units += scanned.units.count
    work.rows += rows.count
    // Counting rows must not keep them all.
    if let key, showing != nil || kept.count < Self.spareMax { kept[key] = rows }
    return rows
  }
}
