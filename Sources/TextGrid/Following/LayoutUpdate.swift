public import EditModel

/// What a follower shows after the edits so far.
public struct LayoutUpdate: Hashable, Sendable {
  /// What is in view.
  public enum Content: Hashable, Sendable {
    /// Rows of one width.
    case rows([GridRow])
    /// A page; nil if the text has fewer pages.
    case page(GridPage?)

    /// The rows in view, those of a page's containers one after the other.
    var rows: [GridRow] {
      switch self {
      case .rows(let rows): rows
      case .page(let page): page.map { Array($0.columns.joined()) } ?? []
      }
    }
  }

  /// The version.
  public let sequence: SequenceNumber
  /// True for the first update of a follower.
  public let isSnapshot: Bool
  /// What is in view.
  public let content: Content
  /// The rows, by index in the view, that are not shown as they were in the update before. A view on
  /// pages counts the rows of all containers, one after the other.
  public let changedRows: Range<Int>
  /// The work that the update took.
  public let work: LayoutWork

  /// The rows in view, those of a page's containers one after the other.
  public var rows: [GridRow] { content.rows }
}
