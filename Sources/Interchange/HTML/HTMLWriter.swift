import EditModel
import Styling

/// Writes a styled text as an HTML document: an element for each paragraph, and elements for the styles
/// that `Markup` names.
///
/// The document says in its head that EditLog wrote it: `HTMLReader` then keeps its white space. U+2028
/// is a `<br>`. Addresses of links are written only if they are of web pages or of mail.
public struct HTMLWriter {
  private var output: [UInt8] = []
  /// What HTML cannot carry.
  public private(set) var losses = Losses()
  /// The open elements around the paragraph: quotes, lists and their items.
  private var containers: [Container] = []
  /// The language of the open block of code; nil if none is open.
  private var openCode: Markup.Form?
  /// The numbers of the items so far.
  private var counters = ListCounters()

  private enum Container: Hashable { case quote, bullets, numbers, item }

  /// A writer.
  public init() {}

  /// A whole document in UTF-8. O(n).
  ///
  /// - Parameters:
  ///   - text: The text to write.
  ///   - title: The title.
  /// - Returns: The bytes.
  public mutating func document(of text: AttributedText, title: String) -> [UInt8] {
    self = HTMLWriter()
    let units = Array(title.utf16)
    var head = HTMLWriter()
    head.write(units[...])
    output = Array(
      """
      <!DOCTYPE html>
      <html>
      <head>
      <meta charset="utf-8">
      <meta name="generator" content="\(Self.generator)">
      <meta name="viewport" content="width=device-width">
      <title>\(String(decoding: head.output, as: UTF8.self))</title>
      <style>
      :root { color-scheme: light dark; }
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
      p, li, pre, h1, h2, h3, h4, h5, h6 { white-space: pre-wrap; overflow-wrap: anywhere; }
      ul, ol { white-space: normal; }
      li ul, li ol { margin: 0; }
      p, li { margin: 0; min-height: 1.5em; }
      pre { padding: .75rem 1rem; border-radius: .4rem; background: color-mix(in srgb, currentColor 8%, transparent); }
      blockquote { margin: .5rem 0; padding-left: 1rem; border-left: .2rem solid color-mix(in srgb, currentColor 30%, transparent); }
      code { padding: .1em .3em; border-radius: .3em; background: color-mix(in srgb, currentColor 10%, transparent); }
      </style>
      </head>
      <body>

      """.utf8)
    text.forEachParagraph { write($0) }
    closeCode()
    close(downTo: 0)
    output += Array("</body>\n</html>\n".utf8)
    return output
  }

  /// The name by which `HTMLReader` knows the document again.
  static let generator = "editlog"

  private mutating func write(_ paragraph: AttributedText.Paragraph) {
    let paragraph = MarkupParagraph(paragraph, isPage: true, noting: &losses)
    let block = paragraph.form.block
    let number = counters.count(block.kind, start: block.start)
    if block.isLines { return writeCode(paragraph) }
    closeCode()
    open(for: paragraph.form, number)
    let tag =
      switch block {
      case .heading(let level): "h\(level)"
      case .bullet, .number: ""
      case .text, .code, .raw: "p"
      }
    if !tag.isEmpty { output += Array("<\(tag)>".utf8) }
    writeContent(paragraph)
    // An item stays open for the lists in it.
    if !tag.isEmpty { output += Array("</\(tag)>\n".utf8) }
  }

  // MARK: Blocks

  private mutating func writeCode(_ paragraph: MarkupParagraph) {
    let form = paragraph.form
    if openCode == form {
      output.append(0x0A)
    } else {
      closeCode()
      open(for: form, nil)
      var start = "<pre>"
      if case .code(let language?) = form.block {
        start = "<pre class=\"language-\(language)\">"
      }
      if case .raw(let kind) = form.block {
        start = "<pre class=\"\(Markup.rawKind)-\(kind.rawValue)\">"
      }
      output += Array(start.utf8)
      openCode = form
      // A reader drops one LF at the beginning.
      if paragraph.pieces.isEmpty { output.append(0x0A) }
    }
    for piece in paragraph.pieces {
      for attribute in piece.style.attributes { losses.note(attribute: attribute.name) }
      if let name = piece.style.image {
        write(Array("[\(name)]".utf16)[...], isCode: true)
      } else {
        write(piece.units, isCode: true)
      }
    }
  }

  private mutating func closeCode() {
    guard openCode != nil else { return }
    output += Array("</pre>\n".utf8)
    openCode = nil
  }

  /// Closes and opens quotes and lists, as a paragraph of this kind needs them.
  private mutating func open(for form: Markup.Form, _ number: Int?) {
    let quotes = containers.prefix { $0 == .quote }.count
    if quotes != form.quote { close(downTo: min(quotes, form.quote)) }
    while containers.prefix(while: { $0 == .quote }).count < form.quote { open(.quote) }
    switch form.block {
    case .text, .heading, .code, .raw: close(downTo: form.quote)
    case .bullet(let level): openItem(in: .bullets, level, form)
    case .number(let level, let start):
      openItem(in: .numbers, level, form, start: start, number)
    }
  }

  private mutating func openItem(
    in list: Container, _ level: Int, _ form: Markup.Form, start: Int? = nil,
    _ number: Int? = nil
  ) {
    // The number of lists that stay open, and the place of the innermost of them.
    var (depth, keep) = (0, form.quote)
    for (index, container) in containers.enumerated().dropFirst(form.quote)
    where container != .item {
      guard depth < level - 1 || depth == level - 1 && container == list else { break }
      (depth, keep) = (depth + 1, index + 1)
    }
    if depth < level, keep < containers.count, containers[keep] == .item { keep += 1 }
    close(downTo: keep)
    while depth < level {
      depth += 1
      // A list that goes on in another quote is another one in HTML.
      let goesOn = depth == level && start == nil && number != 1
      open(list, number: goesOn ? number : nil)
    }
    open(.item, number: start)
  }

  private mutating func open(_ container: Container, number: Int? = nil) {
    containers.append(container)
    let tag =
      switch container {
      case .quote: "<blockquote>\n"
      case .bullets: "<ul>\n"
      case .numbers: number.map { "<ol start=\"\($0)\">\n" } ?? "<ol>\n"
      case .item: number.map { "<li value=\"\($0)\">" } ?? "<li>"
      }
    output += Array(tag.utf8)
  }

  private mutating func close(downTo count: Int) {
    while containers.count > count, let container = containers.popLast() {
      let tag =
        switch container {
        case .quote: "</blockquote>"
        case .bullets: "</ul>"
        case .numbers: "</ol>"
        case .item: "</li>"
        }
      output += Array(tag.utf8)
      // White space in an item is shown, so none comes after a list inside one.
      if containers.last != .item { output.append(0x0A) }
    }
  }

  // MARK: Text

  private mutating func writeContent(_ paragraph: MarkupParagraph) {
    var open: [Element] = []
    for piece in paragraph.pieces {
      if piece.style.isRaw { losses.note(attribute: Markup.rawHTML) }
      move(from: &open, to: Self.elements(piece.style))
      if let address = piece.style.picture {
        writePicture(address, piece)
        continue
      }
      guard let name = piece.style.image else {
        write(piece.units)
        continue
      }
      output += Array("<img alt=\"".utf8)
      write(Array(name.utf16)[...], isCode: true)
      output += Array("\">".utf8)
    }
    move(from: &open, to: [])
  }

  /// Writes the picture that a text describes.
  private mutating func writePicture(
    _ address: String, _ piece: (units: ArraySlice<UInt16>, style: InlineMarkup)
  ) {
    for (name, value) in [
      ("<img src", Array(address.utf16)[...]),
      (" alt", piece.units.elementsEqual([0xFFFC]) ? [] : piece.units),
      (" title", (piece.style.pictureTitle.map { Array($0.utf16) } ?? [])[...]),
    ] where name != " title" || piece.style.pictureTitle != nil {
      output += Array("\(name)=\"".utf8)
      write(value, isCode: true)
      output.append(UInt8(ascii: "\""))
    }
    output.append(UInt8(ascii: ">"))
  }

  private struct Element: Hashable {
    let tag: String
    var address: String?
    var title: String?
  }

  private static func elements(_ style: InlineMarkup) -> [Element] {
    var elements = style.link.map { [Element(tag: "a", address: $0, title: style.linkTitle)] } ?? []
    for part in Markup.Style.allCases where style[part] { elements.append(Element(tag: part.tag)) }
    return elements
  }

  private mutating func move(from open: inout [Element], to wanted: [Element]) {
    let common = zip(open, wanted).prefix { $0 == $1 }.count
    while open.count > common, let element = open.popLast() {
      output += Array("</\(element.tag)>".utf8)
    }
    for element in wanted[common...] {
      open.append(element)
      output += Array("<\(element.tag)".utf8)
      for case (let name, let value?) in [("href", element.address), ("title", element.title)] {
        output += Array(" \(name)=\"".utf8)
        write(Array(value.utf16)[...], isCode: true)
        output.append(UInt8(ascii: "\""))
      }
      output.append(UInt8(ascii: ">"))
    }
  }

  private mutating func write(_ units: ArraySlice<UInt16>, isCode: Bool = false) {
    var index = units.startIndex
    while index < units.endIndex {
      let unit = units[index]
      index += 1
      switch unit {
      case 0x26: output += Array("&amp;".utf8)
      case 0x3C: output += Array("&lt;".utf8)
      case 0x3E: output += Array("&gt;".utf8)
      case 0x22: output += Array("&quot;".utf8)
      case 0x2028 where !isCode: output += Array("<br>".utf8)
      case 0: replace()
      case ..<0x80: output.append(UInt8(truncatingIfNeeded: unit))
      case 0xD800...0xDBFF where index < units.endIndex && UTF16.isTrailSurrogate(units[index]):
        write(scalar: 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(units[index] & 0x3FF)))
        index += 1
      case 0xD800...0xDFFF: replace()
      default: write(scalar: UInt32(unit))
      }
    }
  }

  private mutating func replace() {
    losses.replacedUnits += 1
    write(scalar: 0xFFFD)
  }

  private mutating func write(scalar value: UInt32) {
    guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) else { return }
    output += bytes
  }
}

extension Markup.Style {
  /// The element in HTML.
  var tag: String {
    switch self {
    case .bold: "strong"
    case .italic: "em"
    case .underline: "u"
    case .strike: "s"
    case .highlight: "mark"
    case .code: "code"
    }
  }
}
