public import Styling

/// Renders sheets for a terminal, with colours of 24 bits and the usual attributes (ECMA-48, SGR).
///
/// The only control characters are LF and the sequences of this renderer; each row ends with the
/// attributes as they were before it.
public struct ANSIRenderer: Sendable {
  private let mode: Theme.Mode

  /// A renderer.
  ///
  /// - Parameter mode: The background of the terminal.
  public init(mode: Theme.Mode) { self.mode = mode }

  /// The rows of a sheet, one line each.
  ///
  /// - Parameters:
  ///   - sheet: The sheet.
  ///   - isFirst: False if another sheet comes before it: a page then begins with a rule.
  public func render(_ sheet: Sheet, isFirst: Bool = true) -> String {
    var text = ""
    if !isFirst, sheet.page != nil {
      text += "\u{1B}[2m" + String(repeating: "─", count: sheet.width) + "\u{1B}[0m\n"
    }
    for row in Painter(sheet).rows() {
      var column = 0
      for run in row {
        text += String(repeating: " ", count: max(0, run.column - column))
        let codes = self.codes(run.looks, isBar: run.isBar)
        text += codes.isEmpty ? run.text : "\u{1B}[\(codes)m\(run.text)\u{1B}[0m"
        column = run.end
      }
      text += "\n"
    }
    return text
  }

  /// The codes of a look. Its colours are those that HTML has on the same background.
  private func codes(_ looks: Looks, isBar: Bool) -> String {
    let look = looks[mode]
    var codes: [String] = []
    if look.bold { codes.append("1") }
    if look.dim { codes.append("2") }
    if look.italic { codes.append("3") }
    if look.underline { codes.append("4") }
    if look.strikethrough { codes.append("9") }
    func add(_ colour: Colour?, _ kind: Int) {
      guard let colour else { return }
      codes.append("\(kind);2;\(colour.red);\(colour.green);\(colour.blue)")
    }
    let colours = PageColours.on(mode).colours(of: looks, isBar: isBar)
    // The terminal has its own colour for faint characters.
    let isFaint = look.foreground == nil && look.background == nil
    add(isFaint ? nil : colours.foreground, 38)
    add(colours.background, 48)
    return codes.joined(separator: ";")
  }
}
