public import EditJSON
import EditModel

/// What a column of an LSP position counts.
public enum PositionEncoding: String, Hashable, Sendable {
  /// UTF-16 units, the default of LSP.
  case utf16 = "utf-16"
  /// Unicode scalars.
  case utf32 = "utf-32"
}

/// The params of `initialize`, as far as they matter here. Everything may be missing.
public struct InitializeParams: Hashable, Sendable {
  /// The client's name for itself, where it gives one.
  public var clientName: String?
  /// The client's version, where it gives one.
  public var clientVersion: String?
  /// The encodings the client offers, in its order; empty where it offers none.
  public var positionEncodings: [String]

  /// Params.
  public init(
    clientName: String? = nil, clientVersion: String? = nil, positionEncodings: [String] = []
  ) {
    (self.clientName, self.clientVersion) = (clientName, clientVersion)
    self.positionEncodings = positionEncodings
  }

  /// Reads the params. What has another shape than LSP gives it counts as missing: nothing
  /// here is worth refusing an editor for.
  public init(json: JSON) {
    let client = json["clientInfo"]
    (clientName, clientVersion) = (client?["name"]?.anyString, client?["version"]?.anyString)
    positionEncodings = []
    if case .array(let offered)? = json["capabilities"]?["general"]?["positionEncodings"] {
      positionEncodings = offered.compactMap(\.anyString)
    }
  }

  /// The encoding to answer with: `utf-32` where it is offered, because some clients then send
  /// scalars whatever is chosen; else `utf-16`.
  public var positionEncoding: PositionEncoding {
    positionEncodings.contains(PositionEncoding.utf32.rawValue) ? .utf32 : .utf16
  }

  /// What the client's columns really count: lsp-mode, which calls itself "emacs", counts
  /// scalars where nothing was negotiated.
  public var columnEncoding: PositionEncoding {
    positionEncodings.isEmpty && clientName == "emacs" ? .utf32 : positionEncoding
  }
}

/// The result of `initialize`: what this server does, which is to be told of edits.
public struct InitializeResult: Hashable, Sendable {
  /// The encoding chosen.
  public var positionEncoding: PositionEncoding
  /// The server's version.
  public var version: String
  /// Bytes in the largest frame the server reads.
  public var frameSizeMax: Int

  /// A result.
  public init(positionEncoding: PositionEncoding, version: String, frameSizeMax: Int) {
    (self.positionEncoding, self.version) = (positionEncoding, version)
    self.frameSizeMax = frameSizeMax
  }

  /// The result. `textDocumentSync` is given whole, because some editors choose by it what they
  /// send to a second server.
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
            "depthMax": JSON(JSON.Limits.message.depthMax),
            "textUTF16LengthMax": JSON(EditAction.textLengthMax),
          ]
        ],
      ],
      "serverInfo": ["name": "editlogd", "version": JSON(version)],
    ]
  }
}

extension JSON {
  /// The member of an object; nil in any other value.
  public subscript(name: String) -> JSON? {
    guard case .object(let object) = self else { return nil }
    return object[name]
  }

  /// The string, lone surrogates shown as U+FFFD; nil in any other value.
  package var anyString: String? {
    guard case .string(let string) = self else { return nil }
    return string.description
  }
}
