import EditModel
import EditProtocol
import Rendering
import Styling
import TextGrid
import TextState

extension RenderRequest {
  /// The rows of a version from the start of the call on.
  func rows(
    of state: TextState, _ rules: StyleRules, _ known: inout SyntaxPlaces, _ work: QuestionWork?
  ) throws(ProtocolError) -> RenderAnswer {
    let offset = try offset(in: state)
    let first = try firstParagraph(at: offset, in: state)
    let rowCount = rowsMax.map { $0 + 1 } ?? limit
    let (last, overflow) = first.addingReportingOverflow(rowCount + 1)
    // The space around a paragraph may depend on its neighbours. Each paragraph has a row at least.
    let isWhole = start.row != nil || countsRows
    let before = rules.derivesKinds && listPlace == nil ? Self.listLengthMax : 1
    let paragraphs =
      isWhole
      ? 0..<state.paragraphCount
      : max(0, first - before)..<min(state.paragraphCount, overflow ? .max : last)
    let text = try styled(state, paragraphs, rules, &known, work)
    let styles = RuleStyles(text, rules, listsFrom: listPlace)
    var grid = GridLayout(options: gridOptions)
    let place = try self.place(in: state, first, offset, &grid, styles, work)
    var rows = grid.rows(
      from: place, count: rowCount, lengthMax: rowsMax == nil ? Self.lengthMax : Self.cutLengthMax,
      of: state, styles)
    let number = try self.number(of: place, in: state, &grid, styles, work, isStyled: isWhole)
    var next: RowPlace?
    if let last = rows.last?.place {
      let after = grid.place(1, from: last, in: state, styles)
      if after != last { next = after }
    }
    if let rowsMax {
      // A text with too many units in its rows is cut before it has as many rows.
      let isCut = rows.count <= rowsMax && next != nil
      rows = Truncation(rowsMax: isCut ? rows.count - 1 : rowsMax, sign: more)
        .truncated(rows, width: layout.width, length: state.length)
      next = nil
    }
    let sheet = SheetBuilder(styles).sheet(rows, width: layout.width)
    return RenderAnswer(
      sequence: state.sequence, length: state.length, paragraphCount: state.paragraphCount,
      firstRow: number.value, isRowExact: number.isExact, sheets: [RenderedSheet(sheet, state)],
      isStyleExact: text.isExact, areNumbersExact: styles.areNumbersExact,
      unstyledCount: text.tooLongCount,
      styledLengthMax: text.styledLength,
      next: next.map {
        RenderPlace(
          paragraph: $0.paragraph, done: $0.row, window: $0.window,
          listNumbers: styles.listPlace(before: $0.paragraph).counters.numbers)
      },
      work: RenderAnswer.Work(grid.work))
  }

  /// The unit of the text that the first row has, if the call names one. O(log n).
  private func offset(in state: TextState) throws(ProtocolError) -> Int? {
    if let offset = start.offset {
      guard offset <= state.length else {
        throw ProtocolError(
          .unknownPoint,
          "the offset \(offset) is after the text, which has \(state.length) UTF-16 units")
      }
      return offset
    }
    if let position = start.position {
      do throws(PlaceError) {
        return try state.findOffset(
          LinePosition(line: position.line - 1, column: position.column - 1))
      } catch { throw ProtocolError(.unknownPoint, "\(error)") }
    }
    if let id = start.id {
      guard let found = state.paragraph(id) else {
        throw ProtocolError.absentParagraph(id, of: history.document, at: state.sequence)
      }
      return found.descriptor.range.location
    }
    return nil
  }

  /// The paragraph of the first row. It is the first one of the text if the start is a row, which is
  /// not found yet.
  private func firstParagraph(
    at offset: Int?, in state: TextState
  ) throws(ProtocolError) -> Int {
    if let offset { return state.paragraphIndex(at: offset) }
    let paragraph = start.paragraph ?? start.next?.paragraph ?? 0
    guard paragraph < state.paragraphCount else {
      throw ProtocolError(
        .unknownPoint,
        """
        there is no paragraph of the index \(paragraph): the text has \(state.paragraphCount), counted \
        from 0
        """)
    }
    return paragraph
  }

  private func place(
    in state: TextState, _ first: Int, _ offset: Int?, _ grid: inout GridLayout,
    _ styles: RuleStyles, _ work: QuestionWork?
  ) throws(ProtocolError) -> RowPlace {
    if let offset { return grid.place(of: offset, in: state, styles) }
    if let next = start.next {
      return RowPlace(paragraph: next.paragraph, window: next.window, row: next.done)
    }
    guard let row = start.row else { return RowPlace(paragraph: first) }
    switch grid.find(row: row, in: state, styles, isCancelled: { work?.isOver ?? false }) {
    case .place(let place): return place
    case .end(let count):
      throw ProtocolError(
        .unknownPoint,
        "there is no row \(row == .max ? row : row + 1): the text has \(count) rows of this width")
    case nil: throw .requestCancelled
    }
  }

  /// The number of rows before the first.
  private func number(
    of place: RowPlace, in state: TextState, _ grid: inout GridLayout, _ styles: RuleStyles,
    _ work: QuestionWork?, isStyled: Bool
  ) throws(ProtocolError) -> RowNumber {
    guard countsRows || start.row != nil else {
      let number = grid.rowNumber(of: place, in: state, styles)
      // The space around the paragraphs before is not known, unless nothing is before.
      return RowNumber(
        value: number.value,
        isExact: number.isExact && (isStyled || place.paragraph == 0 || rules == nil))
    }
    let count = grid.countRows(before: place, in: state, styles) { work?.isOver ?? false }
    guard let count else { throw .requestCancelled }
    return RowNumber(value: count, isExact: true)
  }
}

extension RenderAnswer.Work {
  init(_ work: LayoutWork) {
    self.init(windows: work.windows, units: work.units, rows: work.rows)
  }
}
