import EditJSON
import EditModel
import EditProtocol

/// The state before a spool's messages: their session, and the documents that were open before the
/// first.
struct SpoolHeader: Hashable, Sendable {
  /// The bridge's session.
  var session: SessionID
  /// The editor's params of `initialize`.
  var initialize: JSON
  /// The documents open before the first message.
  var open: [DocumentID]

  init(session: SessionID, initialize: JSON, open: [DocumentID]) {
    (self.session, self.initialize, self.open) = (session, initialize, open)
  }

  init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    session = try object.read("session") { (json) throws(ShapeError) in
      guard let session = SessionID(try json.asString()) else {
        throw ShapeError(mustBe: "1 to \(SessionID.sizeMax) bytes of UTF-8", found: json)
      }
      return session
    }
    initialize = object["initialize"] ?? .null
    open = try object.array("open") { (json) throws(ShapeError) in
      guard let document = DocumentID(try json.asString()) else {
        throw ShapeError(mustBe: "a document's name", found: json)
      }
      return document
    }
  }

  var json: JSON {
    [
      "session": JSON(session.name), "initialize": initialize,
      "open": .array(open.map { JSON($0.name) }),
    ]
  }

  /// The params of the bridge's own `initialize`: the editor's, with what a daemon that does not
  /// know the session needs to read its messages.
  var initializeParams: JSON {
    var params: JSONObject = [:]
    if case .object(let object) = initialize { params = object }
    var options: JSONObject = [:]
    if case .object(let object)? = params["initializationOptions"] { options = object }
    options["editlog"] = [
      "session": JSON(session.name), "open": .array(open.map { JSON($0.name) }),
    ]
    params["initializationOptions"] = .object(options)
    return .object(params)
  }
}
