public import EditJSON
import EditModel

/// The unit of the columns of LSP positions.
public enum PositionEncoding: String, Hashable, Sendable {
  /// UTF-16 units, the default of LSP.
  case utf16 = "utf-16"
  /// Unicode scalars.
  case utf32 = "utf-32"
}

/// The members of the params of `initialize` that are used here. All may be missing.
public struct InitializeParams: Hashable, Sendable {
  /// The name of the client's program, if given.
  public var clientName: String?
  /// The client's version, if given.
  public var clientVersion: String?
  /// The encodings that the client offers, in its order.
  public var positionEncodings: [String]
  /// The client's session, if it describes itself.
  public var identity: ClientIdentity?
  /// True if the client makes edits that a server asks for with `workspace/applyEdit`.
  public var appliesEdits: Bool
  /// True if the client selects a range of a document that a server asks for with
  /// `window/showDocument`.
  public var showsDocuments: Bool

  /// Params.
  public init(
    clientName: String? = nil, clientVersion: String? = nil, positionEncodings: [String] = [],
    identity: ClientIdentity? = nil, appliesEdits: Bool = false, showsDocuments: Bool = false
  ) {
    (self.appliesEdits, self.showsDocuments) = (appliesEdits, showsDocuments)
    (self.clientName, self.clientVersion) = (clientName, clientVersion)
    (self.positionEncodings, self.identity) = (positionEncodings, identity)
  }

  /// Reads the params. A member of another shape than in LSP counts as missing, because no member
  /// here is worth refusing an editor.
  public init(json: JSON) {
    let client = json["clientInfo"]
    (clientName, clientVersion) = (client?["name"]?.anyString, client?["version"]?.anyString)
    appliesEdits = json["capabilities"]?["workspace"]?["applyEdit"] == true
    showsDocuments = json["capabilities"]?["window"]?["showDocument"]?["support"] == true
    positionEncodings = []
    identity = try? ClientIdentity(initialize: json)
    if case .array(let offered)? = json["capabilities"]?["general"]?["positionEncodings"] {
      positionEncodings = offered.compactMap(\.anyString)
    }
  }

  /// The encoding for the answer: `utf-32` if it is offered, else `utf-16`. Some clients that offer
  /// `utf-32` send scalars even if `utf-16` is chosen.
  public var positionEncoding: PositionEncoding {
    positionEncodings.contains(PositionEncoding.utf32.rawValue) ? .utf32 : .utf16
  }

  /// The unit of the columns that the client sends. lsp-mode, whose client name is "emacs", counts
  /// scalars if no encoding is negotiated.
  public var columnEncoding: PositionEncoding {
    positionEncodings.isEmpty && clientName == "emacs" ? .utf32 : positionEncoding
  }
}

/// The result of `initialize`: the capabilities for receiving edits.
public struct InitializeResult: Hashable, Sendable {
  /// The encoding chosen.
  public var positionEncoding: PositionEncoding
  /// The server's version.
  public var version: String
  /// The maximum size of a frame's body that the server reads, in bytes.
  public var frameSizeMax: Int

  /// The maximum nesting depth of a message that the server reads.
  public var depthMax: Int

  /// A result.
  public init(
    positionEncoding: PositionEncoding, version: String, frameSizeMax: Int,
    depthMax: Int = JSON.Limits.message.depthMax
  ) {
    (self.positionEncoding, self.version) = (positionEncoding, version)
    (self.frameSizeMax, self.depthMax) = (frameSizeMax, depthMax)
  }

  /// The result. `textDocumentSync` has all its members, because some editors decide by them what
  /// they send to a second server.
  public var json: JSON {
    [
      "capabilities": [
        "positionEncoding": JSON(positionEncoding.rawValue),
        "textDocumentSync": [
          "openClose": true, "change": 2, "willSave": true, "save": ["includeText": true],
        ],
        "experimental": [
          "editlog": [
            "v": 1, "frameSizeMax": JSON(frameSizeMax),
            "depthMax": JSON(depthMax),
            "textUTF16LengthMax": JSON(EditAction.textLengthMax),
          ]
        ],
      ],
      "serverInfo": ["name": "editlogd", "version": JSON(version)],
    ]
  }
}

extension JSON {
  /// The member of an object; nil for any other value.
  public subscript(name: String) -> JSON? {
    guard case .object(let object) = self else { return nil }
    return object[name]
  }

  /// The string, with U+FFFD for lone surrogates; nil for any other value.
  package var anyString: String? {
    guard case .string(let string) = self else { return nil }
    return string.description
  }
}
