import EditModel
import TextGrid
import TextState
import Testing

/// Layouts of real editing histories: the recording in Tools/demo, and all traces in the folder that
/// EDITLOG_TRACES names.
@Suite struct TraceLayoutTests {
  private static let sampleCount = 20
  private static let rowCount = 60

  /// What follows the edits shows at each sample what a new layout shows there.
  @Test(arguments: TraceProjectionTests.traces)
  func `layouts that follow a history are those made afresh`(path: String) throws {
    let edits = try TraceProjectionTests.edits(of: path)
    let text = FollowedText()
    let widths = [80, 23, 1]
    let rows = widths.map {
      text.follow(.rows(options: GridOptions(width: $0), top: 0, rows: Self.rowCount))
    }
    let format = PageFormat(
      width: 60, height: 12, columns: 2,
      holes: [CellRectangle(column: 20, row: 3, columns: 20, rows: 4)])
    let page = text.follow(.page(format: format, page: 0))
    let step = max(1, edits.count / Self.sampleCount)
    for (index, edit) in edits.enumerated() {
      try text.apply(edit.action)
      guard index % step == step - 1 || index == edits.count - 1 else { continue }
      // At the edit for the first layout, at the start for the others.
      let top = min(edit.action.range.location, text.state.length)
      rows[0].scroll(to: top)
      for (follower, width) in zip(rows, widths) {
        let update = try #require(text.update(follower))
        var fresh = GridLayout(options: GridOptions(width: width))
        let place = fresh.place(of: width == widths[0] ? top : 0, in: text.state)
        #expect(
          update.content
            == .rows(fresh.rows(from: place, count: Self.rowCount, of: text.state)),
          "\(path) at \(edit.sequence), width \(width)")
      }
      var fresh = PagedLayout(format: format)
      #expect(
        text.update(page)?.content == .page(fresh.page(0, of: text.state)),
        "\(path) at \(edit.sequence)")
    }
  }

  /// The rows of the whole text, and its pages, are the text: each unit once, in order.
  @Test(arguments: TraceProjectionTests.traces)
  func `rows and pages are the text`(path: String) throws {
    var state = TextState()
    for edit in try TraceProjectionTests.edits(of: path) { try state.apply(edit.action) }
    for width in [100, 31] {
      var grid = GridLayout(options: GridOptions(width: width))
      var next = 0
      for row in grid.rows(from: .first, count: .max, of: state) {
        guard let units = row.units else { continue }
        #expect(units.location == next, "\(path), width \(width)")
        next = units.upperBound
        for fragment in row.fragments { #expect(fragment.column + fragment.cells <= width) }
      }
      #expect(next == state.length, "\(path), width \(width)")
    }
    let format = PageFormat(width: 50, height: 30, columns: 2)
    var paged = PagedLayout(format: format)
    var (place, next, index) = (FlowPlace?.none, 0, 0)
    repeat {
      let page = try #require(
        place.map { paged.page(from: $0, at: index, of: state) }
          ?? paged.page(0, of: state))
      if let units = page.units {
        #expect(units.location == next, "\(path), page \(index)")
        next = units.upperBound
      }
      (place, index) = (page.next, index + 1)
    } while place != nil
    #expect(next == state.length, "\(path)")
  }
}
