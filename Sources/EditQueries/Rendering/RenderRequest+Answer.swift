package import EditProtocol
package import Replay
import Rendering
import Styling
import TextGrid
import TextState

extension RenderRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> RenderAnswer {
    try check()
    let styleRules = try styleRules(engine.styles)
    let state = try await engine.state(at: at, "at", replay)
    var places = SyntaxPlaces()
    if let rules {
      places = engine.styles.takePlaces(rules, replay, state.sequence, engine.generation)
    }
    defer {
      if let rules { engine.styles.keep(places, rules, replay, state.sequence, engine.generation) }
    }
    let answer =
      layout.page == nil
      ? try rows(of: state, styleRules, &places, engine.work)
      : try pages(of: state, styleRules, &places, engine.work)
    if answer.next != nil { engine.keep(state, replay) }
    return answer
  }

  /// Refuses members that contradict each other.
  private func check() throws(ProtocolError) {
    let starts = [
      start.offset != nil, start.position != nil, start.paragraph != nil, start.id != nil,
      start.row != nil, start.page != nil, start.next != nil,
    ]
    guard starts.count(where: { $0 }) <= 1 else {
      throw ProtocolError(
        .invalidParams,
        """
        params: give only one of offset, position, paragraph, paragraphID, row, pageNumber and place
        """)
    }
    guard let page = layout.page else {
      guard start.page == nil else {
        throw ProtocolError(.invalidParams, "params.pageNumber needs params.page")
      }
      return
    }
    let isOfRows = starts[..<5].contains(true)
    guard !isOfRows, rowsMax == nil else {
      throw ProtocolError(
        .invalidParams,
        "params: offset, position, paragraph, paragraphID, row and maxRows are not for pages")
    }
    guard page.height * layout.width <= RenderLayout.Page.areaMax else {
      throw ProtocolError(
        .invalidParams,
        """
        params.page has \(page.height) rows of \(layout.width) cells; a page may have at most \
        \(RenderLayout.Page.areaMax) cells
        """)
    }
    guard page.widthMin <= layout.width else {
      throw ProtocolError(
        .invalidParams,
        """
        params.page: \(page.columns) columns with gaps of \(page.gap) cells need a width of at least \
        \(page.widthMin) cells; it is \(layout.width)
        """)
    }
    guard page.holes.count <= RenderLayout.Page.holesMax else {
      throw ProtocolError(
        .invalidParams,
        "params.page.holes must have at most \(RenderLayout.Page.holesMax) rectangles")
    }
    let outside = page.holes.firstIndex { !page.contains($0, width: layout.width) }
    if let outside {
      throw ProtocolError(
        .invalidParams,
        """
        params.page.holes[\(outside)] is outside of the page of \(layout.width) columns and \(page.height) rows
        """)
    }
  }

  /// The rules of the call, or those that are built in.
  private func styleRules(_ cache: StyleCache) throws(ProtocolError) -> StyleRules {
    guard let rules else {
      do { return try BuiltInRules.rules.get() } catch {
        throw ProtocolError(.internalError, "\(error)")
      }
    }
    return try cache.rules(rules) { () throws(ProtocolError) in try Self.styleRules(rules) }
  }

  private static func styleRules(_ rules: RenderRules) throws(ProtocolError) -> StyleRules {
    guard rules.files.count <= RenderRules.filesMax else {
      throw ProtocolError(
        .invalidParams, "params.rules.files must have at most \(RenderRules.filesMax) files")
    }
    do throws(RulesError) {
      return try StyleRules(rules.text, grammar: rules.grammar) { place, name throws(RulesError) in
        guard let file = rules.files.first(where: { $0.name == name }) else {
          throw RulesError(place, "the file \(name) is not among params.rules.files")
        }
        return file.text
      }
    } catch { throw ProtocolError(.invalidParams, "params.rules: \(error)") }
  }

  /// The paragraphs with the attributes of the rules.
  func styled(
    _ state: TextState, _ paragraphs: Range<Int>, _ rules: StyleRules,
    _ places: inout SyntaxPlaces, _ work: QuestionWork?
  ) throws(ProtocolError) -> StyledText {
    let text = StyledText(
      state, paragraphs: paragraphs, by: rules, &places,
      lengthBeforeMax: needsExactStyles ? .max : Self.styledBeforeMax
    ) { work?.isOver ?? false }
    guard let text else { throw .requestCancelled }
    return text
  }

  /// UTF-16 units before the first row that are read, at most, to know which comments and fences are open
  /// there. A later call with the same rules goes on from what is known then.
  private static let styledBeforeMax = 1 << 18

  /// Paragraphs before the first that are styled too, so that lists whose kinds the rules derive are
  /// counted from their start.
  static let listLengthMax = 256

  /// Where lists were counted up to, if the call goes on after an answer.
  var listPlace: ListNumbering.Place? {
    guard let next = start.next, let numbers = next.listNumbers else { return nil }
    return ListNumbering.Place(before: next.paragraph, ListCounters(numbers: numbers))
  }

  var gridOptions: GridOptions {
    GridOptions(width: layout.width, tabStop: layout.tabStop, casing: displayCase)
  }

  var displayCase: DisplayCase {
    switch layout.casing {
    case .written: .written
    case .upper: .upper
    case .lower: .lower
    }
  }

  /// UTF-16 units of an answer after which no further row or page begins.
  static let lengthMax = 1 << 16
  /// The same if the text is cut to a number of rows, which makes one answer.
  static let cutLengthMax = 1 << 20
}

/// The rules that hold for calls without rules.
private enum BuiltInRules {
  static let rules = Result { () throws(RulesError) in try StyleRules.builtIn() }
}
