import EditModel

/// Writes the content of a paragraph as Markdown.
///
/// A style has its signs (`**`, `*`, `~~`, `==`) only if they cannot mean anything else where they stand:
/// letters or digits inside, plain white space or punctuation or the edge of the line outside. Elsewhere it is an element of
/// HTML, which CommonMark allows.
struct MarkdownContent {
  private let pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)]
  /// True if the paragraph is an item of a list, which may begin with the box of a task.
  private let isItem: Bool
  /// What is written so far.
  private(set) var output: [UInt8] = []

  init(_ pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)], isItem: Bool = false) {
    (self.pieces, self.isItem) = (pieces, isItem)
  }

  /// Writes all pieces. O(n).
  mutating func write(noting losses: inout Losses) {
    var link: LinkTarget?
    for index in pieces.indices {
      let (units, style) = pieces[index]
      let own = style.link.map { LinkTarget(address: $0, title: style.linkTitle) }
      if own != link {
        if let link { endLink(link) }
        if own != nil { output.append(UInt8(ascii: "[")) }
        link = own
      }
      let isSimple = Self.isSafe(units) && isEdge(before: index) && isEdge(after: index)
      let signs = Self.signs(style, isSimple: isSimple)
      for sign in signs { output += Array(sign.start.utf8) }
      if let name = style.image {
        writeImage(name, noting: &losses)
      } else if let address = style.picture {
        output += Array("![".utf8)
        // Without a description there is only the character that stands for the picture.
        if !units.elementsEqual([0xFFFC]) {
          write(units, isFirst: false, isLast: false, noting: &losses)
        }
        endLink(LinkTarget(address: address, title: style.pictureTitle))
      } else if style.isRaw {
        output += Self.verbatim(units, noting: &losses)
      } else if style[.code] {
        writeCode(units, noting: &losses)
      } else {
        write(units, isFirst: index == 0, isLast: index == pieces.count - 1, noting: &losses)
      }
      for sign in signs.reversed() { output += Array(sign.end.utf8) }
    }
    if let link { endLink(link) }
  }

  /// The name of an attachment. Its bytes are nowhere, so the address is empty.
  private mutating func writeImage(_ name: String, noting losses: inout Losses) {
    output += Array("![".utf8)
    write(Array(name.utf16)[...], isFirst: false, isLast: false, noting: &losses)
    output += Array("]()".utf8)
  }

  private mutating func endLink(_ link: LinkTarget) {
    output += Array("](<".utf8)
    write(escaping: [0x3C, 0x3E, 0x5C, 0x26], in: link.address)
    output.append(UInt8(ascii: ">"))
    if let title = link.title {
      output += Array(" \"".utf8)
      write(escaping: [0x22, 0x5C, 0x26], in: title)
      output.append(UInt8(ascii: "\""))
    }
    output.append(UInt8(ascii: ")"))
  }

  private mutating func write(escaping signs: Set<UInt8>, in text: String) {
    for byte in text.utf8 {
      if signs.contains(byte) { output.append(0x5C) }
      output.append(byte)
    }
  }

  // MARK: Signs

  private static func signs(
    _ style: InlineMarkup, isSimple: Bool
  ) -> [(start: String, end: String)] {
    let isSimple = isSimple && !style[.code] && !style[.underline]
    var signs: [(String, String)] = []
    for part in Markup.Style.allCases where style[part] {
      switch part {
      case .bold: signs.append(isSimple ? ("**", "**") : ("<b>", "</b>"))
      case .italic: signs.append(isSimple ? ("*", "*") : ("<i>", "</i>"))
      case .strike: signs.append(isSimple ? ("~~", "~~") : ("<s>", "</s>"))
      case .underline: signs.append(("<u>", "</u>"))
      case .highlight: signs.append(isSimple ? ("==", "==") : ("<mark>", "</mark>"))
      case .code: break
      }
    }
    // A sign beside another one could belong to it.
    let isMixed = isSimple && (style[.strike] || style[.highlight]) && signs.count > 1
    return isMixed ? Self.signs(style, isSimple: false) : signs
  }

  /// True if a text begins and ends with a letter or a digit.
  private static func isSafe(_ units: ArraySlice<UInt16>) -> Bool {
    guard let first = units.first, let last = units.last else { return false }
    return isAlphanumeric(first) && isAlphanumeric(last)
  }

  private static func isAlphanumeric(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case ..<0x80: false
    default: Unicode.Scalar(UInt32(unit))?.properties.isAlphabetic ?? false
    }
  }

  /// True if the line begins before the piece, or white space or punctuation that is not styled is there.
  private func isEdge(before index: Int) -> Bool {
    index == 0 || isPlainEdge(pieces[index - 1].units.last, pieces[index - 1].style)
  }

  /// True if the line ends after the piece, or white space or punctuation that is not styled is there.
  private func isEdge(after index: Int) -> Bool {
    index == pieces.count - 1
      || isPlainEdge(pieces[index + 1].units.first, pieces[index + 1].style)
  }

  private func isPlainEdge(_ unit: UInt16?, _ style: InlineMarkup) -> Bool {
    guard style.isPlain, let unit else { return false }
    return unit <= 0x20 || unit < 0x7F && !Self.isAlphanumeric(unit)
  }

  // MARK: Text

  private mutating func write(
    _ units: ArraySlice<UInt16>, isFirst: Bool, isLast: Bool, noting losses: inout Losses
  ) {
    var index = units.startIndex
    while index < units.endIndex {
      let unit = units[index]
      let isLineStart = isFirst && index == units.startIndex
      let isLineEnd = isLast && index + 1 == units.endIndex
      index += 1
      switch unit {
      case 0x20, 0x09:
        // White space at an edge of a line would be dropped.
        if isLineStart || isLineEnd {
          output += Array("&#\(unit);".utf8)
        } else {
          output.append(UInt8(truncatingIfNeeded: unit))
        }
      case 0x2028: output += Array("<br>".utf8)
      case 0x5B where literalBrackets(units, index - 1, isFirst: isFirst) > 0:
        let end = index - 1 + literalBrackets(units, index - 1, isFirst: isFirst)
        output += units[(index - 1)..<end].map { UInt8(truncatingIfNeeded: $0) }
        index = end
      case 0x5C, 0x60, 0x2A, 0x5B, 0x5D, 0x7E: output += [0x5C, UInt8(truncatingIfNeeded: unit)]
      case 0x21, 0x23, 0x26, 0x3C, 0x3E, 0x5F:
        let next = units[index...]
        let isSign = isLineStart || isSign(unit, before: units[..<(index - 1)].last, next, isLast)
        output += (isSign ? [0x5C] : []) + [UInt8(truncatingIfNeeded: unit)]
      case 0x2B where isLineStart, 0x2D where isLineStart, 0x3D where isLineStart,
        0x3D where canBeDouble(units, index - 1, isFirst: isFirst, isLast: isLast):
        output += [0x5C, UInt8(truncatingIfNeeded: unit)]
      case 0x2E where isNumber(before: index - 1, in: units, isFirst: isFirst),
        0x29 where isNumber(before: index - 1, in: units, isFirst: isFirst):
        output += [0x5C, UInt8(truncatingIfNeeded: unit)]
      case 1..<0x80: output.append(UInt8(truncatingIfNeeded: unit))
      default: index = Self.write(unit, units, index, to: &output, noting: &losses)
      }
    }
  }

  /// The length of the brackets at a place that are text for every reader: the box of a task, and the label
  /// of a footnote. Zero if there are none.
  private func literalBrackets(
    _ units: ArraySlice<UInt16>, _ start: Int, isFirst: Bool
  ) -> Int {
    let rest = units[start...]
    if isItem, isFirst, start == units.startIndex,
      ["[ ] ", "[x] ", "[X] "].contains(where: { rest.starts(with: $0.utf16) })
    {
      return 3
    }
    guard rest.starts(with: "[^".utf16) else { return 0 }
    let label = rest.dropFirst(2).prefix(LinkReferences.labelSizeMax).prefix {
      $0 < 0x80 && Self.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E
    }
    let next = units[label.endIndex...].dropFirst()
    guard !label.isEmpty, units[label.endIndex...].first == 0x5D, let after = next.first,
      after != 0x28, after != 0x5B
    else { return 0 }
    return next.startIndex - start
  }

  /// True if a character may be read as a sign because of those around it, at another place than the start of a
  /// line.
  ///
  /// - Parameters:
  ///   - unit: One of `!`, `#`, `&`, `<`, `>` and `_`.
  ///   - before: The unit before it in its piece, if there is one.
  ///   - rest: The units after it in its piece.
  ///   - isLast: True if the line ends after them.
  private func isSign(
    _ unit: UInt16, before: UInt16?, _ rest: ArraySlice<UInt16>, _ isLast: Bool
  ) -> Bool {
    guard let next = rest.first else { return unit != 0x3E && (unit == 0x23 || !isLast) }
    switch unit {
    case 0x21: return next == 0x5B
    case 0x23: return next == 0x23 || rest.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    case 0x26:
      let text = [UInt8(ascii: "&")] + rest.prefix(40).map { UInt8(clamping: $0) }
      let isOpen = rest.count < 40 && !isLast && rest.allSatisfy { $0 != 0x20 }
      return isOpen || HTMLReferences.reference(text[...], in: .markdown) != nil
    case 0x3C: return Self.isAlphanumeric(next) || [0x21, 0x2F, 0x3F].contains(next)
    case 0x5F: return !(before.map(Self.isAlphanumeric) == true && Self.isAlphanumeric(next))
    default: return false
    }
  }

  /// True if the `=` at a place may be next to another one: `==` would be read as a highlight.
  private func canBeDouble(
    _ units: ArraySlice<UInt16>, _ index: Int, isFirst: Bool, isLast: Bool
  ) -> Bool {
    let before = index > units.startIndex ? units[index - 1] == 0x3D : !isFirst
    let after = index + 1 < units.endIndex ? units[index + 1] == 0x3D : !isLast
    return before || after
  }

  /// True if only digits, at most nine, are between the beginning of the line and a place: with a dot they
  /// would be the number of an item.
  private func isNumber(before index: Int, in units: ArraySlice<UInt16>, isFirst: Bool) -> Bool {
    var place = index
    while place > units.startIndex, index - place <= 9, (0x30...0x39).contains(units[place - 1]) {
      place -= 1
    }
    return isFirst && place == units.startIndex && place < index && index - place <= 9
  }

  /// The content of a line without signs. An attachment has its name.
  static func verbatim(_ line: MarkupParagraph, noting losses: inout Losses) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in line.pieces {
      let units = piece.style.image.map { Array("[\($0)]".utf16)[...] } ?? piece.units
      bytes += verbatim(units, noting: &losses)
    }
    return bytes
  }

  /// The content of a line without signs.
  static func verbatim(_ line: MarkupParagraph) -> [UInt8] {
    var losses = Losses()
    return verbatim(line, noting: &losses)
  }

  /// Writes text that has no signs.
  static func verbatim(
    _ units: ArraySlice<UInt16>, noting losses: inout Losses
  ) -> [UInt8] {
    var (output, index) = ([UInt8](), units.startIndex)
    while index < units.endIndex {
      let unit = units[index]
      index += 1
      if (1..<0x80).contains(unit) {
        output.append(UInt8(truncatingIfNeeded: unit))
      } else {
        index = write(unit, units, index, to: &output, noting: &losses)
      }
    }
    return output
  }

  /// Writes the character that begins with `unit`. Returns the index after it.
  private static func write(
    _ unit: UInt16, _ units: ArraySlice<UInt16>, _ index: Int, to output: inout [UInt8],
    noting losses: inout Losses
  ) -> Int {
    var (value, next) = (UInt32(unit), index)
    if UTF16.isLeadSurrogate(unit), index < units.endIndex, UTF16.isTrailSurrogate(units[index]) {
      value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(units[index] & 0x3FF))
      next += 1
    } else if UTF16.isSurrogate(unit) || unit == 0 {
      losses.replacedUnits += 1
      value = 0xFFFD
    }
    if let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) { output += bytes }
    return next
  }

  private mutating func writeCode(_ units: ArraySlice<UInt16>, noting losses: inout Losses) {
    let text = Self.verbatim(units, noting: &losses)
    var (longest, current) = (0, 0)
    for byte in text {
      current = byte == 0x60 ? current + 1 : 0
      longest = max(longest, current)
    }
    let fence = [UInt8](repeating: 0x60, count: longest + 1)
    let isPadded =
      text.first == 0x60 || text.last == 0x60
      || text.first == 0x20 && text.last == 0x20 && text.contains { $0 != 0x20 }
    output += fence + (isPadded ? [0x20] : []) + text + (isPadded ? [0x20] : []) + fence
  }
}
