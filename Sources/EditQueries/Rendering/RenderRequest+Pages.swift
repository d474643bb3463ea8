import EditModel
import EditProtocol
import Rendering
import Styling
import TextGrid
import TextState

extension RenderRequest {
  /// The pages of a version from the start of the call on.
  func pages(
    of state: TextState, _ rules: StyleRules, _ known: inout SyntaxPlaces, _ work: QuestionWork?
  ) throws(ProtocolError) -> RenderAnswer {
    guard let page = layout.page else { throw .requestCancelled }
    let format = PageFormat(
      width: layout.width, height: page.height, columns: page.columns, gap: page.gap,
      holes: page.holes.map {
        CellRectangle(column: $0.column, row: $0.row, columns: $0.columns, rows: $0.rows)
      })
    guard format.hasRoom else {
      throw ProtocolError(
        .invalidParams, "the holes leave no cell of the page free")
    }
    let first = start.next?.paragraph ?? 0
    guard first < state.paragraphCount else {
      throw ProtocolError(
        .unknownPoint,
        """
        there is no paragraph of the index \(first): the text has \(state.paragraphCount), counted from 0
        """)
    }
    let (last, overflow) = lastParagraph(first, format)
    let paragraphs = max(0, first - 1)..<min(state.paragraphCount, overflow ? .max : last)
    let text = try styled(state, paragraphs, rules, &known, work)
    let styles = RuleStyles(text, rules, listsFrom: listPlace)
    var paged = PagedLayout(format: format, tabStop: layout.tabStop, casing: displayCase)
    let builder = SheetBuilder(styles)
    var (sheets, place, length) = ([RenderedSheet](), start.next.map { FlowPlace($0) }, 0)
    var index = start.next?.page ?? start.page ?? 0
    repeat {
      let isCancelled = { work?.isOver ?? false }
      let page =
        if let place { paged.page(from: place, at: index, of: state, styles) } else {
          paged.page(index, of: state, styles, isCancelled: isCancelled)
        }
      guard let page else {
        if isCancelled() { throw .requestCancelled }
        throw ProtocolError(
          .unknownPoint,
          "there is no page \(index + 1): the text has \(paged.knownStarts) of this size")
      }
      sheets.append(RenderedSheet(builder.sheet(page, format), state))
      length += page.units?.length ?? 0
      (place, index) = (page.next, index + 1)
    } while place != nil && sheets.count < limit && length < Self.lengthMax
    let rest = place.map { PageOverflow(from: $0, in: state) }
    return RenderAnswer(
      sequence: state.sequence, length: state.length, paragraphCount: state.paragraphCount,
      sheets: sheets, isStyleExact: text.isExact, areNumbersExact: styles.areNumbersExact,
      unstyledCount: text.tooLongCount,
      styledLengthMax: text.styledLength,
      next: place.map { RenderPlace($0, page: index, styles) },
      overflow: rest.map { RenderAnswer.Overflow(units: $0.units, paragraphs: $0.paragraphs) },
      work: RenderAnswer.Work(paged.work))
  }

  /// The paragraph after the last that can be on the pages of the answer: each has a row at least.
  private func lastParagraph(_ first: Int, _ format: PageFormat) -> (Int, overflow: Bool) {
    let pages = limit + (start.page ?? 0)
    let (rows, overflow) = pages.multipliedReportingOverflow(
      by: format.height * format.containers.count)
    let (last, isTooMuch) = first.addingReportingOverflow(overflow ? .max : rows)
    return isTooMuch || last == .max ? (0, true) : (last + 1, false)
  }
}

extension FlowPlace {
  init(_ place: RenderPlace) {
    let part: FlowPlace.Part =
      switch place.part {
      case .before?: .before
      case .text?, nil: .text
      case .after?: .after
      }
    self.init(paragraph: place.paragraph, part: part, done: place.done)
  }
}

extension RenderPlace {
  fileprivate init(_ place: FlowPlace, page: Int, _ styles: RuleStyles) {
    let part: RenderPlace.Part =
      switch place.part {
      case .before: .before
      case .text: .text
      case .after: .after
      }
    self.init(
      paragraph: place.paragraph, done: place.done, part: part, page: page,
      listNumbers: styles.listPlace(before: place.paragraph).counters.numbers)
  }
}
