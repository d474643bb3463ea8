import EditModel

/// Lays a text out on pages: it fills their containers in order, as many pages as it takes.
///
/// The starts of pages are kept, so that the pages before are laid out once only. After an edit, call
/// `invalidate(from:)`.
public struct PagedLayout: Sendable {
  /// The shape of each page.
  public let format: PageFormat
  /// Cells between tab stops.
  public let tabStop: Int
  /// How letters are shown.
  public let casing: DisplayCase
  /// The work done so far.
  public private(set) var work = LayoutWork()

  private let windows: ParagraphWindows
  /// The starts of the first pages that are known.
  private var starts: [FlowPlace] = [.first]

  /// A layout on pages.
  ///
  /// - Parameters:
  ///   - format: The shape of each page.
  ///   - tabStop: Cells between tab stops: 1 to `GridOptions.tabStopMax`.
  ///   - casing: How letters are shown.
  public init(format: PageFormat, tabStop: Int = 8, casing: DisplayCase = .written) {
    self.init(format: format, tabStop: tabStop, casing: casing, windows: .standard)
  }

  /// A layout with windows of another length, for tests.
  init(format: PageFormat, tabStop: Int, casing: DisplayCase, windows: ParagraphWindows) {
    (self.format, self.casing, self.windows) = (format, casing, windows)
    self.tabStop = GridOptions(width: format.width, tabStop: tabStop).tabStop
  }

  /// Pages whose start is known.
  public var knownStarts: Int { starts.count }

  /// The page at `index`. O(the page + the text between the last page with a known start and it).
  ///
  /// - Parameters:
  ///   - index: The page, counted from 0.
  ///   - text: The text.
  ///   - formats: The space around paragraphs.
  ///   - isCancelled: Asked before each page.
  /// - Returns: The page; nil if the text has fewer, if holes leave no cell of the page free, or if
  ///   `isCancelled` returned true.
  public mutating func page(
    _ index: Int, of text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats(),
    isCancelled: () -> Bool = { false }
  ) -> GridPage? {
    guard index >= 0, format.hasRoom else { return nil }
    while starts.count <= index {
      guard !isCancelled(),
        let next = fill(from: starts[starts.count - 1], at: starts.count - 1, text, formats, false)
          .next
      else { return nil }
      starts.append(next)
    }
    let page = fill(from: starts[index], at: index, text, formats, true)
    if let next = page.next, starts.count == index + 1 { starts.append(next) }
    return page
  }

  /// The page that begins at a place which an earlier page's `next` named. O(the page).
  ///
  /// - Parameters:
  ///   - place: Where it begins.
  ///   - index: Its number, counted from 0.
  ///   - text: The text.
  ///   - formats: The space around paragraphs.
  public mutating func page(
    from place: FlowPlace, at index: Int, of text: some AttributedStorage,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> GridPage {
    fill(from: place, at: index, text, formats, true)
  }

  /// Forgets the pages after the first that has text from `paragraph` on, because that paragraph or one
  /// after it changed. O(log pages).
  public mutating func invalidate(from paragraph: Int) {
    let kept = starts.partitionPoint {
      $0.paragraph < paragraph || $0 == FlowPlace(paragraph: paragraph, part: .before, done: 0)
    }
    starts.removeSubrange(max(1, kept)...)
  }

  private mutating func fill(
    from place: FlowPlace, at index: Int, _ text: some AttributedStorage,
    _ formats: some ParagraphFormats, _ collects: Bool
  ) -> GridPage {
    var flow = PageFlow(
      text, formats, from: place, tabStop: tabStop, casing: casing, windows: windows)
    let columns = format.containers.map { flow.fill($0, collects: collects) }
    work.windows += flow.work.windows
    work.units += flow.work.units
    work.rows += flow.work.rows
    return GridPage(index: index, columns: columns, start: place, next: flow.place)
  }
}
