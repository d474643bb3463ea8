/// One thing that is measured.
struct Figure: Sendable {
  /// The name that `--only` takes and that lines of the report begin with.
  let name: String
  /// Half a sentence.
  let summary: String
  /// True if it adds points to a plot.
  var isPlotted = false
  /// Takes it and reports it.
  let take: @Sendable (Session) throws -> Void
}
