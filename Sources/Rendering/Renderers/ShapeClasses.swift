import Styling

/// Names the shapes of a file's fills and bars, in the order of their first use.
struct ShapeClasses {
  private var numbers: [DecorationShape: Int] = [:]
  private var all: [DecorationShape] = []

  /// The class of a shape; nil for the usual one.
  mutating func name(of shape: DecorationShape) -> String? {
    if shape.isPlain { return nil }
    if let number = numbers[shape] { return "s\(number)" }
    all.append(shape)
    numbers[shape] = all.count
    return "s\(all.count)"
  }

  /// The medium that the rules are for.
  enum Form { case html, svg }

  /// The rules on a page. Those of the dark page come after those of the light one, and change the colours.
  func rules(_ page: PageColours, _ form: Form) -> String {
    all.enumerated().map { index, shape in
      let declarations =
        form == .html ? Self.html(shape, page.mode) : Self.svg(shape, page.mode)
      guard !declarations.isEmpty else { return "" }
      let selector = form == .html ? "pre .s\(index + 1)" : ".s\(index + 1)"
      let rule = "\(selector){\(declarations.joined(separator: ";"))}\n"
      return form == .html ? rule : rule + Self.lines(of: shape, index + 1, page.mode)
    }.joined()
  }

  /// The border of characters in a row that the browser lays out: a line above and a line below them.
  private static func lines(
    of shape: DecorationShape, _ number: Int, _ mode: Theme.Mode
  ) -> String {
    guard let border = shape.border else { return "" }
    let lines =
      mode == .light
      ? ";stroke:none;text-decoration:underline overline;text-decoration-thickness:\(shape.width ?? 1)px"
      : ""
    return ".c .s\(number){fill:\(border[mode])\(lines)}\n"
  }

  private static func html(_ shape: DecorationShape, _ mode: Theme.Mode) -> [String] {
    var declarations: [String] = []
    if let border = shape.border {
      // Inside the rectangle, and without room of its own.
      declarations.append("box-shadow:inset 0 0 0 \(shape.width ?? 1)px \(border[mode])")
    }
    guard mode == .light else { return declarations }
    if shape.border != nil || shape.radius > 0 {
      declarations.append("border-radius:\(shape.radius)px")
    } else if let width = shape.width {
      declarations.append("border-left-width:\(width)px")
    }
    return declarations
  }

  private static func svg(_ shape: DecorationShape, _ mode: Theme.Mode) -> [String] {
    guard let border = shape.border else { return [] }
    return ["stroke:\(border[mode])"] + (mode == .light ? ["stroke-width:\(shape.width ?? 1)"] : [])
  }
}
