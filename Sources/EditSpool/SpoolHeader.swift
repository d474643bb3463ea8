package import EditJSON
package import EditModel
package import EditProtocol
import Glibc

/// The state before a spool's messages: their session, and the documents that were open before the
/// first.
package struct SpoolHeader: Hashable, Sendable {
  /// The bridge's session.
  package var session: SessionID
  /// The absolute path of the socket of the daemon that the messages are for. Nil if the bridge is
  /// older than this member.
  package var socket: String?
  /// The path of the store that they are for, without symbolic links. Nil if the user has named none.
  package var store: String?
  /// The editor's params of `initialize`.
  package var initialize: JSON
  /// The documents open before the first message.
  package var open: [ReopenedDocument]

  package init(
    session: SessionID, socket: String? = nil, store: String? = nil, initialize: JSON,
    open: [ReopenedDocument]
  ) {
    (self.session, self.socket, self.store) = (session, socket, store)
    (self.initialize, self.open) = (initialize, open)
  }

  package init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    session = try object.read("session") { (json) throws(ShapeError) in
      guard let session = SessionID(try json.asString()) else {
        throw ShapeError(mustBe: "1 to \(SessionID.sizeMax) bytes of UTF-8", found: json)
      }
      return session
    }
    socket = object["socket"]?.anyString
    store = object["store"]?.anyString
    initialize = object["initialize"] ?? .null
    let names = try object.array("open") { (json) throws(ShapeError) in
      guard let document = DocumentID(try json.asString()) else {
        throw ShapeError(mustBe: "a document's name", found: json)
      }
      return document
    }
    open = [ReopenedDocument](members: json)
    guard open.map(\.document) == names else {
      throw ShapeError("open", mustBe: "names of documents", found: object["open"])
    }
  }

  package var json: JSON {
    var object: JSONObject = ["session": JSON(session.name)]
    object["socket"] = socket.map { JSON($0) }
    object["store"] = store.map { JSON($0) }
    object["initialize"] = initialize
    open.add(to: &object)
    return .object(object)
  }

  /// False if the messages are for a daemon at another socket, or of another store; both as a header has
  /// them. A header that names no socket, or no store, is for any.
  package func isFor(socket: String, store: String?) -> Bool {
    (self.socket ?? socket) == socket && (self.store == nil || self.store == store)
  }

  /// The path that a header has for the store at `path`.
  package static func name(ofStore path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The path that a header has for the socket at `path`: absolute, and without symbolic links in the
  /// folder's path.
  package static func name(ofSocket path: String) -> String {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let folder = parts.dropLast().joined(separator: "/")
    let shown = parts.count == 1 ? "." : folder.isEmpty ? "/" : folder
    guard let real = realpath(shown, nil) else { return path }
    defer { free(real) }
    return String(cString: real) + "/" + (parts.last ?? "")
  }

  /// The params of the bridge's own `initialize`: the editor's, with what a daemon that does not
  /// know the session needs to read its messages.
  package var initializeParams: JSON {
    var params: JSONObject = [:]
    if case .object(let object) = initialize { params = object }
    var options: JSONObject = [:]
    if case .object(let object)? = params["initializationOptions"] { options = object }
    var editlog: JSONObject = [:]
    if case .object(let object)? = options["editlog"] { editlog = object }
    editlog["session"] = JSON(session.name)
    open.add(to: &editlog)
    options["editlog"] = .object(editlog)
    params["initializationOptions"] = .object(options)
    return .object(params)
  }
}
