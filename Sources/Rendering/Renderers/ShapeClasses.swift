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

  /// The rules of HTML (`border-color`) or SVG (`stroke`) on a page.
  func rules(_ page: PageColours, property: String) -> String {
    all.enumerated().map { index, shape in
      var declarations: [String] = []
      if let border = shape.border { declarations.append("\(property):\(border[page.mode])") }
      // The rules of the dark page come after those of the light one.
      if page.mode == .light {
        declarations += property == "stroke" ? Self.svg(shape) : Self.html(shape)
      }
      return declarations.isEmpty
        ? "" : "\(Self.selector(property, index + 1)){\(declarations.joined(separator: ";"))}\n"
    }.joined()
  }

  private static func selector(_ property: String, _ number: Int) -> String {
    property == "stroke" ? ".s\(number)" : "pre .s\(number)"
  }

  private static func html(_ shape: DecorationShape) -> [String] {
    guard shape.border != nil else {
      return (shape.width.map { ["border-left-width:\($0)px"] } ?? [])
        + (shape.radius > 0 ? ["border-radius:\(shape.radius)px"] : [])
    }
    return [
      "border-style:solid", "border-width:\(shape.width ?? 1)px", "border-radius:\(shape.radius)px",
    ]
  }

  private static func svg(_ shape: DecorationShape) -> [String] {
    shape.border == nil ? [] : ["stroke-width:\(shape.width ?? 1)"]
  }
}
