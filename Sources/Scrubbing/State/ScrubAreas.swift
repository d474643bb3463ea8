/// A rectangle of cells.
struct ScrubArea: Hashable, Sendable {
  var column: Int
  var row: Int
  var width: Int
  var height: Int
}

/// What is where on a screen.
struct ScrubAreas: Hashable, Sendable {
  /// The text, with the columns before it.
  var text: ScrubArea
  /// Columns before the text: marks, and the writers if they are shown.
  var gutter: Int
  /// Columns of the text itself.
  var textWidth: Int
  /// The pane of undo steps.
  var steps: ScrubArea?
  /// The pane that describes the step.
  var details: ScrubArea?
  /// The list of matches.
  var matches: ScrubArea?
  /// The rows of the timeline: activity, authors, the followed paragraph, then marks and the position.
  var timeline: ScrubArea?
  /// The row of the state.
  var state: Int?
  /// The row of keys, or of a message.
  var keys: Int

  /// Columns of the text, at most: longer rows are hard to read.
  static let textWidthMax = 100
  static let (stepsWidth, detailsWidth, blameWidth) = (36, 32, 22)

  init(_ screen: ScrubState) {
    let size = screen.size
    keys = size.rows - 1
    guard size.isRoomy else {
      text = ScrubArea(column: 0, row: 0, width: size.columns, height: size.rows - 1)
      gutter = size.columns >= 20 ? 2 : 0
      textWidth = max(1, size.columns - gutter)
      return
    }
    let (bar, first) = (screen.timelineRows.count, 1)
    var (column, width) = (0, size.columns)
    var height = size.rows - first - bar - 2
    timeline = ScrubArea(column: 0, row: first + height, width: size.columns, height: bar)
    state = size.rows - 2
    if screen.mode == .matches {
      let rows = min(max(4, height / 3), height - 3)
      matches = ScrubArea(
        column: 0, row: first + height - rows, width: size.columns, height: rows)
      height -= rows
    }
    if screen.showsSteps ?? size.hasSteps, size.columns >= 80 {
      steps = ScrubArea(column: 0, row: first, width: Self.stepsWidth, height: height)
      (column, width) = (Self.stepsWidth, width - Self.stepsWidth)
    }
    if size.hasDetails {
      width -= Self.detailsWidth
      details = ScrubArea(
        column: column + width, row: first, width: Self.detailsWidth, height: height)
    }
    text = ScrubArea(column: column, row: first, width: width, height: height)
    gutter = 2 + (screen.showsBlame && width >= 50 ? Self.blameWidth : 0)
    // A blank column before the line of the next pane.
    let margin = details == nil ? 0 : 1
    textWidth = max(1, min(width - gutter - margin, Self.textWidthMax))
  }
}
