import EditJSON
public import EditModel

// The messages are in one place, so that daemon, client and CLI print the same text for an error.
extension ProtocolError {
  /// The client has cancelled the request, so it has no result.
  public static var requestCancelled: Self {
    Self(.requestCancelled, "the request was cancelled; send it again for its result")
  }

  /// There is no document of this name.
  public static func unknownDocument(_ document: DocumentID) -> Self {
    Self(
      .unknownDocument,
      "there is no document \(document.shown); `editlog documents` lists all documents",
      details: ["document": JSON(document.name)])
  }

  /// The document has no version at `point`; `latest` is its last.
  public static func unknownPoint(
    _ point: String, document: DocumentID, latest: SequenceNumber
  ) -> Self {
    Self(
      .unknownPoint,
      "\(document.shown) has no version at \(point.shown); give a number from 0 to \(latest), `latest`, a time or `mark:LABEL`",
      details: ["document": JSON(document.name), "point": JSON(point), "latest": JSON(latest)])
  }

  /// The edits were made against version `base`, but the document is at `latest`.
  public static func sequenceConflict(
    document: DocumentID, base: SequenceNumber, latest: SequenceNumber
  ) -> Self {
    Self(
      .sequenceConflict,
      "the edits were made against version \(base) of \(document.shown), which is at \(latest); read that version, make them again and send them with its number",
      details: ["document": JSON(document.name), "base": JSON(base), "latest": JSON(latest)])
  }

  /// An editor, named by `client`, has the document open.
  public static func openInEditor(_ document: DocumentID, client: String) -> Self {
    Self(
      .openInEditor,
      "\(document.shown) is open in \(client), whose text would no longer be the log's, so nothing was logged; close it there, or wait for that with --at-rest",
      details: ["document": JSON(document.name), "client": JSON(client)])
  }

  /// An editor that has the document open was asked to make the edits, and did not: why.
  public static func notMadeByEditor(
    _ document: DocumentID, client: String, because reason: String
  ) -> Self {
    Self(
      .openInEditor,
      "\(document.shown) is open in \(client), which was asked to make the edits, but \(reason); look at the text there, then try again, close it there, or wait for that with --at-rest",
      details: ["document": JSON(document.name), "client": JSON(client)])
  }

  /// The edit at `index` of a request does not fit the text, so no edit of the request was logged.
  public static func invalidEdit(at index: Int, _ error: EditError) -> Self {
    Self(
      .invalidEdit, "params.edits[\(index)]: \(error); none of the request's edits was logged",
      details: ["member": JSON("params.edits[\(index)]"), "index": JSON(index)])
  }

  /// The version at `point` is no longer kept; the oldest one is `oldest`.
  public static func beyondRetention(_ point: String, oldest: SequenceNumber) -> Self {
    Self(
      .beyondRetention, "version \(point) is no longer kept; the oldest one is \(oldest)",
      details: ["oldest": JSON(oldest)])
  }

  /// The log is damaged; `what` describes the damage.
  public static func damagedLog(_ what: String) -> Self {
    Self(.damagedLog, "\(what); nothing was deleted, and `editlog verify` shows what can be read")
  }

  /// The daemon is busy; the request may succeed after this number of milliseconds.
  public static func overloaded(retryAfterMillis: Int) -> Self {
    Self(
      .overloaded, "the daemon is busy; send this again in \(retryAfterMillis) ms",
      details: ["retryAfterMillis": JSON(retryAfterMillis)])
  }

  /// The caller may not do `what`.
  public static func notPermitted(_ what: String) -> Self { Self(.notPermitted, what) }

  /// The disk of the store at `path` is full.
  public static func noSpace(path: String) -> Self {
    Self(.noSpace, "no space for the store at \(path); free some space, then send this again")
  }

  /// There is no method of this name.
  public static func methodNotFound(_ method: String) -> Self {
    Self(
      .methodNotFound,
      "there is no method \(shown(method: method)); the article Protocol lists all methods")
  }

  /// A method's name if it has the form of a name, else its length: any other string may hold text
  /// of a document.
  public static func shown(method: String) -> String {
    let isName =
      (1...64).contains(method.utf8.count) && method.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isName ? method : "a name of \(method.utf8.count) bytes"
  }

  /// `what` takes `size` bytes, more than `sizeMax`.
  public static func tooLarge(_ what: String, size: Int, sizeMax: Int) -> Self {
    Self(
      .tooLarge, "\(what) has \(size) bytes; the maximum is \(sizeMax); send it in parts",
      details: ["size": JSON(size), "sizeMax": JSON(sizeMax)])
  }

  /// A document's text would be longer than the daemon allows; lengths in UTF-16 units.
  public static func textTooLong(length: Int, lengthMax: Int) -> Self {
    Self(
      .tooLarge,
      """
      the document would have \(length) UTF-16 units; the maximum is \(lengthMax) (text-max of \
      editlogd); append to another document
      """,
      details: ["size": JSON(length), "sizeMax": JSON(lengthMax)])
  }

  /// The edits of a request would make more paragraphs than the daemon takes at once.
  public static func tooManyParagraphs(_ count: Int, countMax: Int) -> Self {
    Self(
      .tooLarge,
      """
      the edits insert \(count) paragraph terminators; the maximum of a request is \(countMax); send \
      them in parts
      """,
      details: ["size": JSON(count), "sizeMax": JSON(countMax)])
  }

  /// No daemon answers at the socket at `path`, for the given reason.
  public static func unreachable(socket path: String, _ reason: String) -> Self {
    Self(
      .unreachable,
      """
      no daemon answers at \(path): \(reason); start it with `systemctl --user start editlogd` or \
      `editlogd --store DIR --socket \(path)`; if a service failed, `systemctl --user status editlogd` \
      says why
      """,
      details: ["socket": JSON(path)])
  }

  /// The daemon at the socket at `path` has sent nothing for this long, although an answer is awaited.
  public static func unresponsive(socket path: String, after time: Duration) -> Self {
    Self(
      .unresponsive,
      """
      the daemon at \(path) has sent nothing for \(time.shownSeconds): it is stopped, or hangs. Continue it \
      (`kill -CONT PID`), or end it and start it again; `editlog doctor` says more, and a larger --timeout \
      waits longer
      """,
      details: ["socket": JSON(path)])
  }

  /// The program that listens at the socket at `path` is of another user.
  public static func foreignListener(socket path: String, user: UInt32) -> Self {
    Self(
      .notPermitted,
      """
      the program that listens at \(path) is of user \(user), not yours, and nothing was sent to it; give a \
      socket in a folder that only you can write, with --socket or EDITLOG_SOCKET
      """,
      details: ["socket": JSON(path)])
  }
}

extension Duration {
  /// The time in seconds, as people read it: `10 s`, `0.5 s`.
  package var shownSeconds: String {
    let milliseconds = Int64((self / .milliseconds(1)).rounded())
    guard milliseconds % 1_000 != 0 else { return "\(milliseconds / 1_000) s" }
    return "\(Double(milliseconds) / 1_000) s"
  }
}
