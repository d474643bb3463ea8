public import EditJSON
public import EditModel

/// One edit of an append request.
public struct AppendEdit: Hashable, Sendable {
  /// The change, in the text after the edit before it.
  public var action: EditAction
  /// The time by the client's clock, if the client sends it.
  public var time: Timestamp?
  /// The origin, if it differs from the request's.
  public var origin: Origin?
  /// The author, if it differs from the request's.
  public var author: String?
  /// The client's label of the edit's transaction. Neighbouring edits of a request with the same
  /// label are one transaction. An edit without a label is a transaction of its own.
  public var transaction: Int64?
  /// The client's name for the composition of which the edit is a step, such as that of a Hangul
  /// syllable. Edits of a session that follow one another with the same name are one transaction, even
  /// if each has its own request.
  public var composition: String?
  /// The carets and selected ranges of the client before and after the edit, if it sends them. They
  /// are logged with the edit, and an undo gives them back.
  public var selection: EditSelection?

  /// The maximum size of the name of a composition, in bytes of UTF-8.
  public static let compositionSizeMax = 64

  /// An edit.
  public init(
    action: EditAction, time: Timestamp? = nil, origin: Origin? = nil, author: String? = nil,
    transaction: Int64? = nil, composition: String? = nil, selection: EditSelection? = nil
  ) {
    (self.action, self.time, self.origin, self.selection) = (action, time, origin, selection)
    (self.author, self.transaction, self.composition) = (author, transaction, composition)
  }

  /// Reads an edit, and checks that its members agree with one another.
  ///
  /// - Throws: `ShapeError`, with `.edit` if the members contradict one another.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    action = try EditAction(members: object)
    time = try object.readIfPresent("time") { (json) throws(ShapeError) in
      try Timestamp(json: json)
    }
    origin = try object.originIfPresent("origin")
    author = try object.authorIfPresent("author")
    transaction = try object.integerIfPresent("transaction")
    composition = try object.readIfPresent("composition") { (json) throws(ShapeError) in
      let name = try json.asString()
      guard (1...Self.compositionSizeMax).contains(name.utf8.count) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(Self.compositionSizeMax) bytes of UTF-8", found: json)
      }
      return name
    }
    selection = try object.selectionIfPresent()
  }

  /// The edit.
  public var json: JSON {
    var object = JSONObject(members: action)
    object.add("time", time.map { JSON($0.rfc3339) })
    object.add("origin", origin.map { JSON($0.wireName) })
    object.add("author", author.map { JSON($0) })
    object.add("transaction", transaction.map { .integer($0) })
    object.add("composition", composition.map { JSON($0) })
    object.add("selection", selection?.json)
    return .object(object)
  }
}

extension Timestamp {
  /// Reads a time: RFC 3339, or nanoseconds since 1970 UTC.
  public init(json: JSON) throws(ShapeError) {
    switch json {
    case .integer(let nanoseconds): self.init(nanoseconds: nanoseconds)
    case .string(let string):
      guard let text = string.string, let time = Timestamp(rfc3339: text) else { fallthrough }
      self = time
    default:
      throw ShapeError(
        mustBe: "a time such as 2026-11-20T15:04:05Z, or nanoseconds since 1970 as an integer",
        found: json)
    }
  }
}

extension EditAction {
  /// Reads an action from the members `actions`, `location`, `length`, `changeInLength`, `text` and
  /// `attributes`. The action `characters` without `text` is a removal.
  init(members object: JSONObject) throws(ShapeError) {
    let parts = try ActionParts(object)
    let text = parts.text?.text
    do {
      try parts.check(newLength: text?.count)
      try self.init(range: parts.range, replacement: text, attributes: parts.attributes)
    } catch { throw ShapeError("", .edit(error)) }
  }
}

/// The members of an action. The text is not decoded.
private struct ActionParts {
  let range: UTF16Range
  /// The text that replaces the range; nil if the edit does not change the text.
  let text: JSONString?
  let attributes: AttributeChange
  private let changeInLength: Int

  init(_ object: JSONObject) throws(ShapeError) {
    let actions = try object.actions()
    let lengthMax = Int64(EditAction.textLengthMax)
    let location = Int(try object.integer("location", in: 0...lengthMax))
    let length = Int(try object.integer("length", in: 0...lengthMax))
    range = UTF16Range(location..<location + length)
    changeInLength = Int(try object.integer("changeInLength", in: -lengthMax...lengthMax))
    let text = try object.readIfPresent("text") { (json) throws(ShapeError) in
      try json.asJSONString()
    }
    let attributes = try object.readIfPresent("attributes") { (json) throws(ShapeError) in
      try AttributeChange(json: json)
    }
    try object.check(actions, names: .characters, where: text != nil, member: "text")
    try object.check(actions, names: .attributes, where: attributes != nil, member: "attributes")
    guard !actions.contains(.attributes) || attributes != nil else {
      throw ShapeError("attributes", mustBe: "an object, because actions name it", found: nil)
    }
    self.text = actions.contains(.characters) ? text ?? "" : nil
    self.attributes = attributes ?? .inherit
  }

  /// Checks `changeInLength` against the length of the text; nil if there is no text.
  func check(newLength: Int?) throws(EditError) {
    let newLength = newLength ?? range.length
    guard changeInLength == newLength - range.length else {
      throw .lengthMismatch(declared: changeInLength, range: range, newLength: newLength)
    }
  }
}

extension JSONObject {
  /// The members of an action; `text` and `attributes` only if they change.
  init(members action: EditAction) {
    self.init()
    reserveCapacity(10)
    add(action)
  }

  /// Adds the members of an action.
  mutating func add(_ action: EditAction) {
    add("actions", .array(action.actions.names.map { JSON($0) }))
    add("location", JSON(action.range.location))
    add("length", JSON(action.range.length))
    add("changeInLength", JSON(action.changeInLength))
    add("text", action.replacement.map { JSON($0) })
    add("attributes", action.attributes.json)
  }

  fileprivate func actions() throws(ShapeError) -> EditActions {
    var actions: EditActions = []
    let each = try array("actions") { (json) throws(ShapeError) -> EditActions in
      switch json {
      case "characters": .characters
      case "attributes": .attributes
      default: throw ShapeError(mustBe: #""characters" or "attributes""#, found: json)
      }
    }
    for action in each { actions.insert(action) }
    guard !actions.isEmpty else { throw ShapeError("", .edit(.noAction)) }
    return actions
  }

  fileprivate func check(
    _ actions: EditActions, names action: EditActions, where isPresent: Bool, member: String
  ) throws(ShapeError) {
    guard isPresent, !actions.contains(action) else { return }
    throw ShapeError(
      "actions", mustBe: "an array that names \(action), because \(member) is given",
      found: self["actions"])
  }
}
