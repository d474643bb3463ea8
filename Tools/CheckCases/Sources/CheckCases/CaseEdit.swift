import EditModel
import TextState

/// An edit of a case.
struct CaseEdit: Decodable {
  var kind: String?
  var location: Int
  var length: Int
  var text: String?
  var attributes: [String: String]?

  /// The edit as an action.
  ///
  /// - Throws: `EditError` or `Problem` if it is not well formed.
  func action() throws -> EditAction {
    guard let range = UTF16Range(location: location, length: length) else {
      throw Problem("the range [\(location), \(length)] is not one")
    }
    if kind == "attributes" || text == nil {
      var values: [String: AttributeValue] = [:]
      for (name, value) in attributes ?? [:] { values[name] = .string(value) }
      return try EditAction(
        range: range, replacement: nil,
        attributes: .set([AttributeRun(length: length, attributes: AttributeSet(values))]))
    }
    return EditAction(replacing: range, with: UTF16Text(text ?? ""))
  }
}

/// One edit, several of one group, or none.
struct CaseEdits: Decodable {
  var edits: [CaseEdit] = []

  /// No edit.
  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() { return }
    if let edits = try? container.decode([CaseEdit].self) {
      self.edits = edits
    } else {
      edits = [try container.decode(CaseEdit.self)]
    }
  }
}

/// Why a case could not be run.
struct Problem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What a list of edits does to a text.
struct EditedText {
  private(set) var state = TextState()
  /// The names of paragraphs, in the order of their creation.
  private var names: [ParagraphID: String] = [:]

  init() throws { name() }

  /// The paragraphs' names in document order.
  var ids: [String] { state.paragraphs.map { names[$0.id] ?? "?" } }

  /// The paragraphs' texts.
  var texts: [String] { state.paragraphs.map { String(state.text(in: $0.range)) } }

  /// The name of a paragraph.
  func name(of id: ParagraphID) -> String { names[id] ?? "?" }

  /// Applies edits as one group. Returns its paragraph events.
  @discardableResult
  mutating func apply(_ edits: [CaseEdit]) throws -> [ParagraphEvent] {
    var transaction = Transaction(before: state)
    for edit in edits {
      transaction.append(try state.apply(try edit.action()))
      name()
    }
    return transaction.change(to: state)?.paragraphEvents.map { $0 } ?? []
  }

  /// Names the paragraphs that have no name yet: the lowest new identifier was created first.
  private mutating func name() {
    for id in state.paragraphs.map(\.id).filter({ names[$0] == nil }).sorted() {
      names[id] = "p\(names.count)"
    }
  }
}

/// What is wrong if `found` is not `expected`.
func difference<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) -> [String] {
  found == expected ? [] : ["\(what): \(found), not \(expected)"]
}
