import EditModel

/// Takes from entries of a history what tells of their content and of people.
///
/// Text is redacted by `TextRedaction`. Names of people, sessions, clients, machines, documents and marks,
/// and the values of attributes become numbers: equal ones the same, others another one. Names of
/// attributes, origins, times and positions stay. Digests, which could confirm a guess, become zeros.
struct Redaction {
  private var authors = Pseudonyms("author")
  private var sessions = Pseudonyms("session")
  private var clients = Pseudonyms("client")
  private var hosts = Pseudonyms("host")
  private var documents = Pseudonyms("document")
  private var labels = Pseudonyms("mark")
  private var keys = Pseudonyms("key")
  private var values: [AttributeValue: Int] = [:]

  /// An edit without its content.
  ///
  /// - Throws: `EditError` if it is not valid.
  mutating func redacted(_ edit: Edit) throws(EditError) -> Edit {
    var edit = edit
    edit.action = try redacted(edit.action)
    edit.author = edit.author.map { authors[$0] }
    edit.session = edit.session.flatMap { SessionID(sessions[$0.name]) }
    return edit
  }

  /// An event without names and digests.
  mutating func redacted(_ event: HistoryEvent) -> HistoryEvent {
    var event = event
    event.author = event.author.map { authors[$0] }
    event.session = event.session.flatMap { SessionID(sessions[$0.name]) }
    switch event.kind {
    case .mark(let label, let at): event.kind = .mark(label: labels[label], at: at)
    case .baseline(let digest): event.kind = .baseline(Self.zero(digest))
    case .saved(let digest): event.kind = .saved(Self.zero(digest))
    case .divergence(let ours, let theirs):
      event.kind = .divergence(ours: Self.zero(ours), theirs: Self.zero(theirs))
    case .renamed(let from): event.kind = .renamed(from: redacted(from))
    case .copied(let from, let at): event.kind = .copied(from: redacted(from), at: at)
    case .session(let description):
      let host = description.host.map { hosts[$0] }
      if let redacted = SessionDescription(client: clients[description.client], host: host) {
        event.kind = .session(redacted)
      }
    case .closed, .undo: break
    }
    return event
  }

  /// A document's name.
  mutating func redacted(_ document: DocumentID) -> DocumentID {
    DocumentID(documents[document.name]) ?? document
  }

  private static func zero(_ digest: ContentDigest) -> ContentDigest {
    ContentDigest(bytes: [UInt8](repeating: 0, count: digest.bytes.count)) ?? digest
  }

  /// An action without its content.
  mutating func redacted(_ action: EditAction) throws(EditError) -> EditAction {
    try EditAction(
      range: action.range,
      replacement: action.replacement.map { UTF16Text(units: TextRedaction.redacted($0.units)) },
      attributes: redacted(action.attributes))
  }

  private mutating func redacted(_ change: AttributeChange) -> AttributeChange {
    switch change {
    case .inherit, .remove: change
    case .set(let runs): .set(redacted(runs))
    case .merge(let runs): .merge(redacted(runs))
    }
  }

  private mutating func redacted(_ runs: [AttributeRun]) -> [AttributeRun] {
    var result: [AttributeRun] = []
    for run in runs {
      var attributes = AttributeSet()
      for (name, value) in run.attributes { attributes[name] = redacted(value) }
      result.append(AttributeRun(length: run.length, attributes: attributes))
    }
    return result
  }

  private mutating func redacted(_ value: AttributeValue) -> AttributeValue {
    switch value {
    case .bool: return value
    case .integer: return .integer(Int64(number(of: value)))
    case .double: return .double(Double(number(of: value)))
    case .string: return .string("value \(number(of: value))")
    case .bytes: return .bytes(Array("\(number(of: value))".utf8))
    case .list(let list):
      var result: [AttributeValue] = []
      for element in list { result.append(redacted(element)) }
      return .list(result)
    case .map(let set):
      var result = AttributeSet()
      for (name, element) in set { result[keys[name]] = redacted(element) }
      return .map(result)
    }
  }

  private mutating func number(of value: AttributeValue) -> Int {
    let number = values[value] ?? values.count + 1
    values[value] = number
    return number
  }
}

/// Numbers in the place of names, in the order in which the names come.
private struct Pseudonyms {
  private let kind: String
  private var numbers: [[UInt8]: Int] = [:]

  init(_ kind: String) { self.kind = kind }

  /// The number for a name: `author 1`.
  subscript(name: String) -> String {
    mutating get {
      let bytes = Array(name.utf8)
      let number = numbers[bytes] ?? numbers.count + 1
      numbers[bytes] = number
      return "\(kind) \(number)"
    }
  }
}
