import EditModel

extension GridLayout {
  /// UTF-16 units before a place up to which its rows are always counted.
  static let countedLength = 16 << 10
  /// Parts of the text before a place from which its number is estimated, and UTF-16 units in each.
  private static let (sampleCount, sampleLength) = (8, 512)

  /// The number of rows before `place`: counted if they are few, else estimated from samples of the
  /// text before it. The cost has a bound that does not depend on the text.
  public mutating func rowNumber(
    of place: RowPlace, in text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> RowNumber {
    let start = start(of: place, in: text)
    if start <= Self.countedLength {
      return RowNumber(value: countRows(before: place, in: text, formats) ?? 0, isExact: true)
    }
    // Each paragraph has one row, so only the others are estimated. An offset meets a paragraph as
    // often as it has units, so the mean over the samples has no bias towards long paragraphs.
    var rowsPerUnit = 0.0
    for sample in 0..<Self.sampleCount {
      let offset = start / Self.sampleCount * sample
      let paragraph = text.paragraphIndex(at: offset)
      let range = text.paragraphRange(at: paragraph)
      let (length, count) =
        range.length <= Self.sampleLength
        ? (range.length, self.rowCount(ofParagraph: paragraph, in: text, formats))
        : sampledRows(from: offset, of: range, at: paragraph, in: text)
      rowsPerUnit += Double(max(0, count - 1)) / Double(max(1, length))
    }
    let estimate = Double(start) * rowsPerUnit / Double(Self.sampleCount)
    return RowNumber(value: place.paragraph + Int(estimate) + place.row, isExact: false)
  }

  /// The rows before `place`, counted. O(text before it).
  ///
  /// - Parameters:
  ///   - place: A place in the text.
  ///   - text: The text.
  ///   - formats: The space around paragraphs.
  ///   - isCancelled: Asked now and then.
  /// - Returns: The rows; nil if `isCancelled` returned true.
  public mutating func countRows(
    before place: RowPlace, in text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats(),
    isCancelled: () -> Bool = { false }
  ) -> Int? {
    var rows = 0
    for paragraph in 0..<place.paragraph {
      if paragraph % 1_024 == 0, isCancelled() { return nil }
      guard
        let count = rowCount(
          ofParagraph: paragraph, in: text, formats, isCancelled: isCancelled)
      else { return nil }
      rows += count
    }
    guard
      let count = rowCount(
        ofParagraph: place.paragraph, upTo: place.window, in: text, formats,
        isCancelled: isCancelled)
    else { return nil }
    return rows + count + place.row
  }

  /// A row by its number in the whole text, counted from 0. O(text before it).
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - text: The text.
  ///   - formats: The space around paragraphs.
  ///   - isCancelled: Asked now and then.
  /// - Returns: Where it is, or how many rows there are; nil if `isCancelled` returned true.
  public mutating func find(
    row number: Int, in text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats(),
    isCancelled: () -> Bool = { false }
  ) -> FoundRow? {
    var left = max(0, number)
    for paragraph in 0..<text.paragraphCount {
      if paragraph % 1_024 == 0, isCancelled() { return nil }
      let range = text.paragraphRange(at: paragraph)
      let content = content(of: range, at: paragraph, in: text)
      var window = windows.window(0, in: content, of: text)
      while let next = window {
        if next.index % 64 == 63, isCancelled() { return nil }
        let count = rows(of: next, range, at: paragraph, in: text, formats).count
        if left < count {
          return .place(RowPlace(paragraph: paragraph, window: next.index, row: left))
        }
        left -= count
        window = next.isLast ? nil : windows.window(next.index + 1, in: content, of: text)
      }
    }
    return .end(count: max(0, number) - left)
  }

  /// The first unit of the window of `place`.
  private func start(of place: RowPlace, in text: some AttributedStorage) -> Int {
    let range = text.paragraphRange(at: place.paragraph)
    let content = content(of: range, at: place.paragraph, in: text)
    return windows.start(of: place.window, in: content, of: text) ?? content.upperBound
  }

  private mutating func rowCount(
    ofParagraph paragraph: Int, in text: some AttributedStorage, _ formats: some ParagraphFormats
  ) -> Int {
    rowCount(ofParagraph: paragraph, in: text, formats, isCancelled: { false }) ?? 0
  }

  private mutating func rowCount(
    ofParagraph paragraph: Int, upTo end: Int = .max, in text: some AttributedStorage,
    _ formats: some ParagraphFormats, isCancelled: () -> Bool
  ) -> Int? {
    let range = text.paragraphRange(at: paragraph)
    let content = content(of: range, at: paragraph, in: text)
    var (index, rows) = (0, 0)
    while index < end, let window = windows.window(index, in: content, of: text) {
      if index % 64 == 63, isCancelled() { return nil }
      rows += self.rows(of: window, range, at: paragraph, in: text, formats).count
      if window.isLast { break }
      index += 1
    }
    return rows
  }

  /// The rows of a part of a long paragraph, from `offset` on.
  private mutating func sampledRows(
    from offset: Int, of range: UTF16Range, at paragraph: Int, in text: some AttributedStorage
  ) -> (length: Int, rows: Int) {
    let end = min(offset + Self.sampleLength, range.upperBound)
    let units = text.units(in: UTF16Range(offset..<end))
    let scanned = ScannedWindow(
      units, terminatorLength: 0, start: offset - range.location, casing: options.casing,
      objects: ObjectSize.all(in: units, at: offset, of: text),
      namesInvisible: options.namesInvisible, spacesMarks: options.spacesMarks)
    let rows = WindowRows(
      scanned, options: options, format: ParagraphFormat(), isFirst: false, isLast: false)
    work.windows += 1
    work.units += units.count
    return (units.count, rows.textCount)
  }
}
