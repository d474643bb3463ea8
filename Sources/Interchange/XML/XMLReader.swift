import EditJSON
import EditModel
import EditProtocol

/// Reads a styled text from XML, by the rule by which it was written.
///
/// An element that the rule does not name is refused: what it means is not known. So is text outside of
/// the elements of the rule, except white space. O(n).
public struct XMLReader {
  /// The maximum number of elements inside one another.
  public static let depthMax = 64

  private let rule: XMLRule
  private let styles: [String: XMLRule.Style]
  private var text = AttributedText()
  /// The open elements, without the root.
  private var open: [(tag: String, attributes: AttributeSet)] = []
  private var rootState = RootState.before

  private enum RootState { case before, inside, after }

  private init(_ rule: XMLRule) {
    self.rule = rule
    styles = Dictionary(rule.styles.map { ($0.tag, $0) }) { first, _ in first }
    if rule.root == nil { rootState = .inside }
  }

  /// The text in a document, or in a sequence of elements if the rule has no root.
  ///
  /// - Parameters:
  ///   - bytes: The document, in UTF-8.
  ///   - rule: The rule by which it was written.
  /// - Returns: The text.
  /// - Throws: `InterchangeError`, with the place.
  public static func text(
    _ bytes: [UInt8], _ rule: XMLRule = .standard
  ) throws(InterchangeError) -> AttributedText {
    var (reader, tokens) = (XMLReader(rule), try XMLTokenizer(bytes))
    while let token = try tokens.next() { try reader.read(token, tokens) }
    if let element = reader.open.last {
      throw tokens.error("the file ends, but the element \"\(element.tag)\" has no end tag")
    }
    guard rule.root == nil || reader.rootState == .after else {
      throw tokens.error("the file ends, but the element \"\(rule.root ?? "")\" has no end tag")
    }
    return reader.text
  }

  private mutating func read(
    _ token: XMLTokenizer.Token, _ tokens: XMLTokenizer
  ) throws(InterchangeError) {
    switch token {
    case .text(let units): try read(units, tokens)
    case .start(let tag, let members, let isEmpty):
      try begin(tag, members, tokens)
      if isEmpty { try end(tag, tokens) }
    case .end(let tag): try end(tag, tokens)
    }
  }

  private mutating func read(_ units: [UInt16], _ tokens: XMLTokenizer) throws(InterchangeError) {
    guard let element = open.last else {
      guard units.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }) else {
        throw tokens.error("text outside of an element; put it into \"\(rule.defaultTag)\"")
      }
      return
    }
    guard element.tag != rule.unitTag else {
      throw tokens.error("the element \"\(element.tag)\" must be empty")
    }
    guard text.count + units.count <= EditAction.textLengthMax else {
      throw tokens.error("the text has more than \(EditAction.textLengthMax) UTF-16 units")
    }
    text.append(units, element.attributes)
  }

  private mutating func begin(
    _ tag: String, _ members: [XMLTokenizer.Member], _ tokens: XMLTokenizer
  ) throws(InterchangeError) {
    if let root = rule.root, rootState != .inside {
      guard tag == root, rootState == .before else {
        throw tokens.error(
          rootState == .before
            ? "the outermost element must be \"\(root)\"" : "nothing may follow the root element")
      }
      rootState = .inside
      return
    }
    guard open.count < Self.depthMax else {
      throw tokens.error("elements nest more than \(Self.depthMax) deep")
    }
    let outer = open.last?.attributes ?? .empty
    if open.last?.tag == rule.unitTag, rule.unitTag != nil {
      throw tokens.error("the element \"\(rule.unitTag ?? "")\" must be empty")
    }
    open.append((tag, outer.merging(try attributes(of: tag, members, tokens))))
    if tag == rule.unitTag { try addUnit(members, outer, tokens) }
  }

  private mutating func end(_ tag: String, _ tokens: XMLTokenizer) throws(InterchangeError) {
    if let element = open.last {
      guard element.tag == tag else {
        throw tokens.error("expected the end tag of \"\(element.tag)\", found that of \"\(tag)\"")
      }
      open.removeLast()
    } else if let root = rule.root, rootState == .inside, tag == root {
      rootState = .after
    } else {
      throw tokens.error("the end tag of \"\(tag)\" has no start tag")
    }
  }

  /// The attributes that an element adds.
  private func attributes(
    of tag: String, _ members: [XMLTokenizer.Member], _ tokens: XMLTokenizer
  ) throws(InterchangeError) -> AttributeSet {
    if tag == rule.otherTag { return try other(members, tokens) }
    if let style = styles[tag] {
      guard let parameter = style.parameter else { return style.attributes }
      guard let value = members.first(where: { $0.name == parameter.name })?.value else {
        throw tokens.error("the element \"\(tag)\" needs the XML attribute \"\(parameter.name)\"")
      }
      return style.attributes.merging([parameter.attribute: .string(value)])
    }
    guard tag == rule.defaultTag || tag == rule.unitTag else {
      let known = ([rule.defaultTag] + rule.styles.map(\.tag)).prefix(32)
      throw tokens.error(
        "the rule has no element \"\(tag)\"; its elements are \(known.joined(separator: ", "))")
    }
    return .empty
  }

  /// The attributes in the JSON of an element of other attributes.
  private func other(
    _ members: [XMLTokenizer.Member], _ tokens: XMLTokenizer
  ) throws(InterchangeError) -> AttributeSet {
    guard let value = members.first(where: { $0.name == "attributes" })?.value else {
      throw tokens.error("this element needs the XML attribute \"attributes\"")
    }
    do {
      return try AttributeSet(json: JSON.parse(Array(value.utf8), limits: .message))
    } catch {
      throw tokens.error("\"attributes\" of this element: \(error)")
    }
  }

  private mutating func addUnit(
    _ members: [XMLTokenizer.Member], _ attributes: AttributeSet, _ tokens: XMLTokenizer
  ) throws(InterchangeError) {
    guard let code = members.first(where: { $0.name == "code" })?.value, code.utf8.count == 4,
      code.first?.isHexDigit == true, let unit = UInt16(code, radix: 16)
    else {
      throw tokens.error("this element needs \"code\", a UTF-16 unit in four hexadecimal digits")
    }
    text.append(CollectionOfOne(unit), attributes)
  }
}
