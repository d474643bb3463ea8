public import EditJSON
public import EditModel

/// The params of `editlog/append`: edits of one document, in order. Either all are logged or none.
public struct AppendRequest: Hashable, Sendable {
  /// The document; the first edit creates it.
  public var document: DocumentID
  /// The version that the first edit was made against. If given, the daemon refuses any other
  /// version.
  public var base: SequenceNumber?
  /// The client's run and the number of this request in it. A request with a ticket that is sent
  /// twice is logged once. The requests of a session are numbered in ascending order.
  public var ticket: RequestTicket?
  /// The default author of the edits.
  public var author: String?
  /// The default origin of the edits. If nil, `removal` for an edit that only removes text, else
  /// `typing`.
  public var origin: Origin?
  /// True if the request is refused while an editor has the document open. If false, the editor is
  /// asked to make the edits.
  public var atRest: Bool
  /// True if the edits lead to the text of a file that a program has saved: a `saved` event follows them.
  /// Such a request is refused, as with `atRest`: an editor that has the document open reports its own
  /// saves.
  public var isSaved: Bool
  /// The edits; at least one, unless `isSaved`: the text that the document has was saved then. Such a request
  /// has no ticket.
  public var edits: [AppendEdit]
  /// An event that is logged directly before the edits. It is never read from a client.
  package var event: HistoryEvent.Kind?
  /// False if `base` is not the client's, who may not know that edits after it are lost. It is never read
  /// from a client.
  package var acceptsLoss = true

  /// The origin with which one of the edits is logged.
  package func loggedOrigin(of edit: AppendEdit) -> Origin {
    if let origin = edit.origin ?? origin { return origin }
    return edit.action.replacement?.count == 0 && edit.action.range.length > 0 ? .removal : .typing
  }

  /// The maximum number of edits of a request in the native dialect.
  public static let editCountMax = 1 << 16
  /// The maximum size of an author's name, in bytes of UTF-8.
  public static let authorSizeMax = 1024
  /// The maximum number of paragraph terminators that the edits of a request insert: each takes some
  /// bytes of the document's memory, besides its unit.
  public static let paragraphCountMax = 1 << 25

  /// A request.
  public init(
    document: DocumentID, base: SequenceNumber? = nil, ticket: RequestTicket? = nil,
    author: String? = nil, origin: Origin? = nil, atRest: Bool = false, isSaved: Bool = false,
    edits: [AppendEdit]
  ) {
    (self.atRest, self.isSaved) = (atRest, isSaved)
    (self.document, self.base, self.ticket) = (document, base, ticket)
    (self.author, self.origin, self.edits) = (author, origin, edits)
  }
}

/// A client's run and the number of a request in it. If a request is sent again with the same
/// ticket, it gets its first answer again and is not logged again.
public struct RequestTicket: Hashable, Sendable {
  /// The client's run.
  public var session: SessionID
  /// The request's number in it: 1, 2, 3, …
  public var counter: UInt64

  /// A ticket.
  public init(session: SessionID, counter: UInt64) {
    (self.session, self.counter) = (session, counter)
  }
}

extension AppendRequest {
  /// Reads the params. Unknown members are ignored.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    document = try object.document("document")
    base = try object.unsignedIfPresent("base")
    ticket = try object.ticketIfPresent()
    author = try object.authorIfPresent("author")
    origin = try object.originIfPresent("origin")
    atRest = try object.boolIfPresent("atRest") ?? false
    isSaved = try object.boolIfPresent("saved") ?? false
    edits = try object.array("edits") { (json) throws(ShapeError) in try AppendEdit(json: json) }
    guard !edits.isEmpty || isSaved else {
      throw ShapeError("edits", .mustBe("an array of at least one edit", found: "empty"))
    }
    guard !edits.isEmpty || ticket == nil else {
      throw ShapeError("session", .mustBe("left out without edits", found: "there"))
    }
  }

  /// The params.
  public var json: JSON {
    var object: JSONObject = ["document": JSON(document.name)]
    object["base"] = base.map { JSON($0) }
    object["session"] = ticket.map { JSON($0.session.name) }
    object["counter"] = ticket.map { JSON($0.counter) }
    object["author"] = author.map { JSON($0) }
    object["origin"] = origin.map { JSON($0.wireName) }
    if atRest { object["atRest"] = true }
    if isSaved { object["saved"] = true }
    object["edits"] = .array(edits.map(\.json))
    return .object(object)
  }
}

extension JSONObject {
  /// The document's name in the member `name`.
  public func document(_ name: String) throws(ShapeError) -> DocumentID {
    try read(name) { (json) throws(ShapeError) in
      guard let document = DocumentID(try json.asString()) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(DocumentID.sizeMax) bytes of UTF-8", found: json)
      }
      return document
    }
  }

  /// The name of a document in an entry of a history, byte for byte: the hash chain has it.
  func formerDocument(_ name: String) throws(ShapeError) -> DocumentID {
    try read(name) { (json) throws(ShapeError) in
      guard let document = DocumentID(stored: try json.asString()) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(DocumentID.sizeMax) bytes of UTF-8", found: json)
      }
      return document
    }
  }

  /// The session identifier in the member `name`; nil if it is absent or null.
  public func sessionIfPresent(_ name: String) throws(ShapeError) -> SessionID? {
    try readIfPresent(name) { (json) throws(ShapeError) in
      guard let session = SessionID(try json.asString()) else {
        throw ShapeError(
          mustBe: "a string of 1 to \(SessionID.sizeMax) bytes of UTF-8", found: json)
      }
      return session
    }
  }

  /// The ticket in the members `session` and `counter`; nil if both are absent or null.
  public func ticketIfPresent() throws(ShapeError) -> RequestTicket? {
    let session = try sessionIfPresent("session")
    let counter = try unsignedIfPresent("counter", atLeast: 1)
    switch (session, counter) {
    case (let session?, let counter?): return RequestTicket(session: session, counter: counter)
    case (nil, nil): return nil
    case (.some, nil):
      throw ShapeError(
        "counter", mustBe: "an integer of at least 1, because session is given", found: nil)
    case (nil, .some):
      throw ShapeError("session", mustBe: "a string, because counter is given", found: nil)
    }
  }

  /// The author in the member `name`; nil if it is absent or null.
  func authorIfPresent(_ name: String) throws(ShapeError) -> String? {
    try readIfPresent(name) { (json) throws(ShapeError) in
      let author = try json.asString()
      guard (1...AppendRequest.authorSizeMax).contains(author.utf8.count) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(AppendRequest.authorSizeMax) bytes of UTF-8", found: json)
      }
      return author
    }
  }

  /// The origin in the member `name`; nil if it is absent or null.
  public func originIfPresent(_ name: String) throws(ShapeError) -> Origin? {
    try readIfPresent(name) { (json) throws(ShapeError) in
      let name = try json.asString()
      guard let index = Origin.wireNames.firstIndex(of: name) else {
        let names = Origin.wireNames.joined(separator: ", ")
        throw ShapeError(mustBe: "one of \(names)", found: json)
      }
      return Origin.allCases[index]
    }
  }
}

extension Origin {
  /// The names of all cases in their order. They are stored, because `name` uses reflection.
  static let wireNames = allCases.map(\.name)

  /// The name in JSON.
  var wireName: String {
    Self.allCases.firstIndex(of: self).map { Self.wireNames[$0] } ?? name
  }
}
