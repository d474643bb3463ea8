public import EditModel

/// How attributes become XML tags, and tags attributes again.
///
/// Text is verbatim: a paragraph ends with its terminator, inside the element. Text without a block
/// style is in elements of `defaultTag`; a block style closes that element, and the next text without
/// one opens it again. Inline styles are elements inside these, in the order of `styles`.
///
/// What no style names is written in an element `otherTag`, whose XML attribute `attributes` is a JSON
/// object; without `otherTag` it is left out. A unit that XML 1.0 cannot express, such as a control
/// character or a lone surrogate, is an empty element `unitTag`, whose `code` is the unit in hexadecimal
/// digits.
public struct XMLRule: Hashable, Sendable {
  /// An attribute set, or one attribute with its value, as a tag.
  public struct Style: Hashable, Sendable {
    /// The name of the element.
    public var tag: String
    /// The attributes that the element means. It is used for units that have all of them.
    public var attributes: AttributeSet
    /// An attribute whose value, a string, becomes the value of an XML attribute; nil for none.
    public var parameter: Parameter?
    /// True if the element stands in the place of the default element, and is not inside it.
    public var isBlock: Bool

    /// A text attribute that is written as an XML attribute.
    public struct Parameter: Hashable, Sendable {
      /// The name of the XML attribute.
      public var name: String
      /// The name of the text attribute.
      public var attribute: String

      /// A parameter.
      ///
      /// - Parameters:
      ///   - name: The name of the XML attribute.
      ///   - attribute: The name of the text attribute.
      public init(_ name: String, of attribute: String) {
        (self.name, self.attribute) = (name, attribute)
      }
    }

    /// A style.
    ///
    /// - Parameters:
    ///   - tag: The name of the element.
    ///   - attributes: The attributes that it means.
    ///   - parameter: The attribute that is written as an XML attribute of the element.
    ///   - isBlock: True if it stands in the place of the default element.
    public init(
      _ tag: String, _ attributes: AttributeSet = .empty, parameter: Parameter? = nil,
      isBlock: Bool = false
    ) {
      (self.tag, self.attributes) = (tag, attributes)
      (self.parameter, self.isBlock) = (parameter, isBlock)
    }
  }

  /// The element around everything; nil to write and read a sequence of elements without one.
  public var root: String?
  /// The element of text without a block style.
  public var defaultTag: String
  /// The styles. If several fit a unit, the first is the outermost.
  public var styles: [Style]
  /// The element of other attributes; nil to leave them out.
  public var otherTag: String?
  /// The element of a unit that XML cannot express; nil to write U+FFFD.
  public var unitTag: String?
  /// What is written for each of these units of the text. The values must mean the unit again, as
  /// `&amp;` or `&#38;`.
  public var escapes: [UInt16: String]

  /// The escapes of the five characters that XML has names for.
  public static let standardEscapes: [UInt16: String] = [
    0x26: "&amp;", 0x3C: "&lt;", 0x3E: "&gt;", 0x22: "&quot;", 0x27: "&apos;",
  ]

  /// A rule.
  ///
  /// - Parameters:
  ///   - root: The element around everything; nil for none.
  ///   - defaultTag: The element of text without a block style.
  ///   - styles: The styles, the outermost first.
  ///   - otherTag: The element of other attributes; nil to leave them out.
  ///   - unitTag: The element of a unit that XML cannot express; nil to write U+FFFD.
  ///   - escapes: What is written for some units of the text.
  /// - Throws: `XMLRuleError` if a name is not one of XML, is used twice, or a style means nothing.
  public init(
    root: String? = "document", defaultTag: String = "p", styles: [Style],
    otherTag: String? = "run", unitTag: String? = "unit",
    escapes: [UInt16: String] = standardEscapes
  ) throws(XMLRuleError) {
    (self.root, self.defaultTag, self.styles) = (root, defaultTag, styles)
    (self.otherTag, self.unitTag, self.escapes) = (otherTag, unitTag, escapes)
    try check()
  }

  /// The rule for a file that nothing is lost in: the styles of `Markup`, and all else in `run` and
  /// `unit`.
  public static let standard = XMLRule(trusted: Markup.xmlStyles)

  /// A rule with the usual names, and styles that are known to be sound.
  private init(trusted styles: [Style]) {
    (root, defaultTag, otherTag, unitTag) = ("document", "p", "run", "unit")
    (self.styles, escapes) = (styles, Self.standardEscapes)
  }

  private func check() throws(XMLRuleError) {
    var tags: Set<String> = []
    let names = [root, defaultTag, otherTag, unitTag].compactMap(\.self) + styles.map(\.tag)
    for name in names {
      guard XMLName.isValid(name) else { throw .badName(name) }
      guard tags.insert(name).inserted else { throw .nameUsedTwice(name) }
    }
    for style in styles {
      if let parameter = style.parameter {
        guard XMLName.isValid(parameter.name) else { throw .badName(parameter.name) }
      } else if style.attributes.isEmpty {
        throw .emptyStyle(style.tag)
      }
    }
    for (unit, escape) in escapes where XMLUnits.meaning(of: escape) != unit {
      throw .badEscape(escape)
    }
    for unit: UInt16 in [0x26, 0x3C, 0x3E] where escapes[unit] == nil {
      throw .missingEscape(unit)
    }
  }
}

/// Why an `XMLRule` cannot be used.
public enum XMLRuleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This is not the name of an XML element or attribute.
  case badName(String)
  /// Two elements have this name.
  case nameUsedTwice(String)
  /// The style of this tag has neither attributes nor a parameter.
  case emptyStyle(String)
  /// This is not an XML reference to the unit that it stands for.
  case badEscape(String)
  /// This character needs an escape.
  case missingEscape(UInt16)

  /// What is wrong.
  public var description: String {
    switch self {
    case .badName(let name): "\"\(name)\" is not an XML name"
    case .nameUsedTwice(let name): "two elements have the name \"\(name)\"; each needs its own"
    case .emptyStyle(let tag): "the style \"\(tag)\" needs attributes or a parameter"
    case .badEscape(let text): "\"\(text)\" is not an XML reference to its character"
    case .missingEscape(let unit):
      "&, < and > need an escape; U+00\(String(unit, radix: 16)) has none"
    }
  }
}
