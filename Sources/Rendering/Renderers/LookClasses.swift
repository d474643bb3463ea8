import Styling

/// Names the looks of a file's runs, in the order of their first use.
struct LookClasses {
  private var numbers: [Looks: Int] = [:]
  private var all: [Looks] = []

  /// The class of a look; nil for plain text.
  mutating func name(of looks: Looks) -> String? {
    if looks.isPlain { return nil }
    if let number = numbers[looks] { return "a\(number)" }
    all.append(looks)
    numbers[looks] = all.count
    return "a\(all.count)"
  }

  /// The rules of a style sheet.
  ///
  /// - Parameters:
  ///   - colours: The colours of the file.
  ///   - foreground: The property of the colour of characters, such as `color`.
  ///   - declaresShapes: True if the rules have all but the colours as well.
  func rules(_ colours: PageColours, foreground: String, declaresShapes: Bool) -> String {
    var rules = ""
    for (index, looks) in all.enumerated() {
      let look = looks[colours.mode]
      var (ink, ground) = colours.colours(of: looks)
      // The rules of the dark page come after those of the light one, and have to undo them.
      if ink == nil, PageColours.all.contains(where: { $0.colours(of: looks).foreground != nil }) {
        ink = colours.ink
      }
      var declarations: [String] = []
      if let ink { declarations.append("\(foreground):\(ink)") }
      if declaresShapes {
        if foreground == "color", let ground { declarations.append("background:\(ground)") }
        if look.bold { declarations.append("font-weight:700") }
        if look.italic { declarations.append("font-style:italic") }
        let lines = [look.underline ? "underline" : nil, look.strikethrough ? "line-through" : nil]
          .compactMap { $0 }
        if !lines.isEmpty {
          declarations.append("text-decoration:\(lines.joined(separator: " "))")
        }
      }
      if !declarations.isEmpty {
        rules += ".a\(index + 1){\(declarations.joined(separator: ";"))}\n"
      }
      if foreground == "fill", let ground { rules += ".b\(index + 1){fill:\(ground)}\n" }
    }
    return rules
  }
}
