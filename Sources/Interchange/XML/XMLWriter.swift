import EditJSON
import EditModel
import EditProtocol

/// Writes a styled text as XML, by a rule.
public struct XMLWriter {
  private let rule: XMLRule
  /// For each ASCII character, true if it is written as it is.
  private let isPlain: [Bool]
  /// True if characters beyond ASCII have escapes.
  private let hasWideEscapes: Bool
  private var output: [UInt8] = []
  private var open: [Element] = []
  /// What the rule left out.
  public private(set) var losses = Losses()

  /// An element with its XML attributes, as it is written.
  private struct Element: Hashable {
    let tag: String
    /// The text after the name in the start tag.
    var members: [UInt8] = []
  }

  /// A writer.
  ///
  /// - Parameter rule: How attributes become tags.
  public init(_ rule: XMLRule = .standard) {
    self.rule = rule
    // A reader makes LF of a CR that is not a reference.
    isPlain = (0..<0x80).map { unit in
      XMLUnits.isAllowed(unit) && unit != 0x0D && rule.escapes[unit] == nil
    }
    hasWideEscapes = rule.escapes.keys.contains { $0 >= 0x80 }
  }

  /// A whole document in UTF-8: a declaration, and the root element if the rule has one. O(n).
  ///
  /// - Parameter text: The text to write.
  /// - Returns: The bytes.
  public mutating func document(of text: AttributedText) -> [UInt8] {
    guard let root = rule.root else { return elements(of: text) }
    let start = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
    let body = elements(of: text)
    return Array("\(start)<\(root) xml:space=\"preserve\">".utf8) + body
      + Array("</\(root)>\n".utf8)
  }

  /// The elements alone, without a declaration and a root. O(n).
  ///
  /// - Parameter text: The text to write.
  /// - Returns: The bytes.
  public mutating func elements(of text: AttributedText) -> [UInt8] {
    output = []
    losses = Losses()
    text.forEachRun { units, attributes in
      move(to: elements(for: attributes))
      write(units)
    }
    move(to: [])
    return output
  }

  /// The elements of a run, the outermost first.
  private mutating func elements(for attributes: AttributeSet) -> [Element] {
    var (rest, block, inline) = (attributes, nil as Element?, [] as [Element])
    for style in rule.styles where !(style.isBlock && block != nil) {
      guard !rest.isEmpty, let element = Self.element(style, &rest) else { continue }
      if style.isBlock { block = element } else { inline.append(element) }
    }
    var elements = [block ?? Element(tag: rule.defaultTag)] + inline
    if !rest.isEmpty {
      if let tag = rule.otherTag {
        let json = Self.quoted(rest.json.serialized())
        elements.append(Element(tag: tag, members: Array(" attributes=".utf8) + json))
      } else {
        for attribute in rest { losses.note(attribute: attribute.name) }
      }
    }
    return elements
  }

  /// The element of a style, if it fits `rest`, from which its attributes are then removed.
  private static func element(_ style: XMLRule.Style, _ rest: inout AttributeSet) -> Element? {
    guard style.attributes.allSatisfy({ rest[$0.name] == $0.value }) else { return nil }
    var element = Element(tag: style.tag)
    if let parameter = style.parameter {
      guard case .string(let value)? = rest[parameter.attribute],
        value.utf16.allSatisfy({ UTF16.isSurrogate($0) || XMLUnits.isAllowed($0) })
      else { return nil }
      element.members = Array(" \(parameter.name)=".utf8) + quoted(Array(value.utf8))
      rest[parameter.attribute] = nil
    }
    rest = rest.removing(style.attributes.map(\.name))
    return element
  }

  /// The value of an XML attribute, in quotes. White space is written as references, since a reader makes
  /// spaces of it; U+FFFE and U+FFFF, which are only in JSON strings, as JSON writes them.
  private static func quoted(_ value: [UInt8]) -> [UInt8] {
    var (result, index) = ([UInt8(ascii: "\"")], 0)
    while index < value.count {
      let byte = value[index]
      switch byte {
      case UInt8(ascii: "&"): result += Array("&amp;".utf8)
      case UInt8(ascii: "<"): result += Array("&lt;".utf8)
      case UInt8(ascii: ">"): result += Array("&gt;".utf8)
      case UInt8(ascii: "\""): result += Array("&quot;".utf8)
      case 0x09, 0x0A, 0x0D: result += Array("&#\(byte);".utf8)
      case 0xEF
      where index + 2 < value.count && value[index + 1] == 0xBF && value[index + 2] >= 0xBE:
        result += Array((value[index + 2] == 0xBE ? #"\ufffe"# : #"\uffff"#).utf8)
        index += 2
      default: result.append(byte)
      }
      index += 1
    }
    return result + [UInt8(ascii: "\"")]
  }

  /// Closes elements that are not in `wanted`, and opens those that are not open.
  private mutating func move(to wanted: [Element]) {
    let common = zip(open, wanted).prefix { $0 == $1 }.count
    while open.count > common, let element = open.popLast() {
      output += Array("</\(element.tag)>".utf8)
    }
    for element in wanted[common...] {
      output += Array("<\(element.tag)".utf8)
      output += element.members
      output.append(UInt8(ascii: ">"))
      open.append(element)
    }
  }

  private mutating func write(_ units: ArraySlice<UInt16>) {
    var index = units.startIndex
    while index < units.endIndex {
      let unit = units[index]
      index += 1
      if unit < 0x80 {
        if isPlain[Int(unit)] {
          output.append(UInt8(truncatingIfNeeded: unit))
        } else {
          write(special: unit)
        }
      } else if UTF16.isSurrogate(unit) {
        if UTF16.isLeadSurrogate(unit), index < units.endIndex,
          UTF16.isTrailSurrogate(units[index])
        {
          write(scalar: 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(units[index] & 0x3FF)))
          index += 1
        } else {
          write(unitElement: unit)
        }
      } else if hasWideEscapes, let escape = rule.escapes[unit] {
        output += Array(escape.utf8)
      } else if XMLUnits.isAllowed(unit) {
        write(scalar: UInt32(unit))
      } else {
        write(unitElement: unit)
      }
    }
  }

  private mutating func write(special unit: UInt16) {
    if let escape = rule.escapes[unit] {
      output += Array(escape.utf8)
    } else if unit == 0x0D {
      output += Array("&#13;".utf8)
    } else {
      write(unitElement: unit)
    }
  }

  private mutating func write(scalar value: UInt32) {
    guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) else { return }
    output += bytes
  }

  private mutating func write(unitElement unit: UInt16) {
    guard let tag = rule.unitTag else {
      losses.replacedUnits += 1
      output += Array("\u{FFFD}".utf8)
      return
    }
    let digits = String(unit, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: 4 - digits.count) + digits
    output += Array("<\(tag) code=\"\(code)\"/>".utf8)
  }
}
