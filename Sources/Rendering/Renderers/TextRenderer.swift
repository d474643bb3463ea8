/// Renders sheets as plain text: each row is a line.
///
/// What is drawn without characters is left out; spaces keep everything in its column. The result has no
/// control character but LF, and between pages FORM FEED.
public struct TextRenderer: Sendable {
  /// A renderer.
  public init() {}

  /// The rows of a sheet, one line each. Spaces at the end of a row are left out.
  ///
  /// - Parameters:
  ///   - sheet: The sheet.
  ///   - isFirst: False if another sheet comes before it: a page then begins with a form feed.
  public func render(_ sheet: Sheet, isFirst: Bool = true) -> String {
    var text = !isFirst && sheet.page != nil ? "\u{C}" : ""
    for row in Painter(sheet).rows() {
      var (line, column) = ("", 0)
      for run in row {
        line += String(repeating: " ", count: max(0, run.column - column)) + run.text
        column = run.end
      }
      while line.utf8.last == 0x20 { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
