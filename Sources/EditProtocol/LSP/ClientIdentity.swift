public import EditJSON
public import EditModel

/// A session, and the client that describes itself for it. The daemon logs the description before the
/// first entry of the session in each document.
public final class ClientIdentity: Sendable {
  /// The run of the client.
  public let session: SessionID
  /// The client.
  public let client: SessionDescription
  /// The author of the session's edits that name none.
  public let author: String?
  /// The files that a client which follows files skips.
  public let skipped: SkippedFiles

  /// An identity; nil if `author` is empty or longer than `AppendRequest.authorSizeMax` bytes.
  public init?(
    session: SessionID, client: SessionDescription, author: String? = nil,
    skipped: SkippedFiles = SkippedFiles()
  ) {
    guard author.map({ (1...AppendRequest.authorSizeMax).contains($0.utf8.count) }) ?? true
    else { return nil }
    (self.session, self.client, self.author) = (session, client, author)
    self.skipped = skipped
  }

  /// The same client, which skips these files.
  public func skipping(_ skipped: SkippedFiles) -> ClientIdentity {
    ClientIdentity(session: session, client: client, author: author, skipped: skipped) ?? self
  }

  /// The session, the client and the author as members of an object.
  var members: JSONObject {
    var object: JSONObject = ["session": JSON(session.name)]
    object.add(client)
    object.add("author", author.map { JSON($0) })
    if !skipped.isEmpty { object["skipped"] = skipped.json }
    return object
  }

  /// The params of `initialize` for a client that is not an editor.
  public var initializeParams: JSON {
    [
      "processId": .null, "rootUri": .null, "capabilities": [:],
      "initializationOptions": ["editlog": .object(members)],
    ]
  }

  /// Reads the params of `initialize`: `session`, `client`, `version`, `host`, `process`, `author` and `skipped`
  /// in `initializationOptions.editlog`. What is absent there is taken from `clientInfo` and
  /// `processId`.
  ///
  /// - Returns: nil if no session is given, or no client is named.
  /// - Throws: if a member of `initializationOptions.editlog` has the wrong shape.
  public convenience init?(initialize params: JSON) throws(ShapeError) {
    guard case .object(let editlog)? = params["initializationOptions"]?["editlog"] else {
      return nil
    }
    do throws(ShapeError) {
      let info = editlog["client"] == nil ? params["clientInfo"] : nil
      guard let session = try editlog.sessionIfPresent("session"),
        let client = try editlog.nameIfPresent("client") ?? info?["name"]?.shortName
      else { return nil }
      let (host, author) = (
        try editlog.nameIfPresent("host"), try editlog.authorIfPresent("author")
      )
      let version = try editlog.nameIfPresent("version") ?? info?["version"]?.shortName
      let process = try editlog.processIfPresent("process") ?? params["processId"]?.process
      guard
        let description = SessionDescription(
          client: client, version: version, host: host, process: process)
      else { return nil }
      self.init(
        session: session, client: description, author: author,
        skipped: try SkippedFiles(memberOf: editlog))
    } catch {
      throw error.within("editlog").within("initializationOptions")
    }
  }
}

extension ClientIdentity: Hashable {
  /// True if all members are equal.
  public static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
    left.session == right.session && left.client == right.client
      && left.author.isExactly(right.author) && left.skipped == right.skipped
  }

  /// Feeds session and client to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(session)
    hasher.combine(client)
  }
}

extension JSON {
  /// A string as a name of a client, cut to the maximum size; nil for other values.
  fileprivate var shortName: String? {
    guard var name = anyString, !name.isEmpty else { return nil }
    while name.utf8.count > SessionDescription.nameSizeMax { name.unicodeScalars.removeLast() }
    return name
  }

  fileprivate var process: UInt32? {
    guard case .integer(let number) = self, number > 0 else { return nil }
    return UInt32(exactly: number)
  }
}
