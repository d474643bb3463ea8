import EditLogCommands

/// The plots, by the names of their files.
enum PlotName: String {
  case edit = "cost-of-an-edit"
  case lookup = "cost-of-a-lookup"
  case deletion = "cost-of-a-deletion"

  /// The plot without points.
  var empty: LogPlot {
    switch self {
    case .edit:
      LogPlot(title: "Cost of an edit of one unit", xLabel: "UTF-16 units in the document")
    case .lookup:
      LogPlot(title: "Cost of a look-up", xLabel: "UTF-16 units in the document")
    case .deletion:
      LogPlot(
        title: "Cost of deleting all paragraphs but two",
        xLabel: "paragraphs in the document, 40 units each")
    }
  }
}
