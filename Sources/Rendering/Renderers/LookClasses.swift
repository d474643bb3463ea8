import Styling

/// Names the looks of a file's runs, in the order of their first use.
struct LookClasses {
  private struct Key: Hashable {
    let looks: Looks
    /// The backgrounds of the decorations under the text.
    let ground: Looks
    let isBar: Bool
  }

  private var numbers: [Key: Int] = [:]
  private var all: [Key] = []

  /// The class of a look; nil for plain text.
  ///
  /// - Parameters:
  ///   - looks: The look.
  ///   - ground: The backgrounds of the decorations under the text.
  ///   - isBar: True if it is that of a bar.
  mutating func name(
    of looks: Looks, on ground: Looks = Looks(), isBar: Bool = false
  ) -> String? {
    // Plain text needs a colour only if it cannot be read on the ground.
    let isReadable = PageColours.all.allSatisfy {
      $0.colours(of: looks, on: ground).foreground == nil
    }
    if looks.isPlain, isReadable { return nil }
    // A background of its own hides the decorations under it.
    let isOwn = isBar || looks.light.background != nil && looks.dark.background != nil
    let key = Key(looks: looks, ground: isOwn ? Looks() : ground, isBar: isBar)
    if let number = numbers[key] { return "a\(number)" }
    all.append(key)
    numbers[key] = all.count
    return "a\(all.count)"
  }

  /// The rules of a style sheet.
  ///
  /// - Parameters:
  ///   - page: The colours of the file.
  ///   - foreground: The property of the colour of characters, such as `color`.
  ///   - declaresShapes: True if the rules have all but the colours as well.
  func rules(_ page: PageColours, foreground: String, declaresShapes: Bool) -> String {
    var rules = ""
    for (index, key) in all.enumerated() {
      let look = key.looks[page.mode]
      func colours(on page: PageColours) -> (foreground: Colour?, background: Colour?) {
        page.colours(of: key.looks, on: key.ground, isBar: key.isBar)
      }
      var (ink, ground) = colours(on: page)
      // The rules of the dark page come after those of the light one, and have to undo them.
      if ink == nil, PageColours.all.contains(where: { colours(on: $0).foreground != nil }) {
        ink = page.ink
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
