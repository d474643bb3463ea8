public import EditProtocol

/// Who is at the other end of an LSP connection, and which of its habits change how its edits
/// are read.
///
/// Quirks are recognised by the name in `clientInfo`. A client without a name is read by the
/// letter of LSP and the rules that hold for all.
public struct LSPClient: Hashable, Sendable {
  /// The name in `clientInfo`, where there is one.
  public let name: String?
  /// The version in `clientInfo`, where there is one.
  public let version: String?
  /// How the client's columns are read.
  public let encoding: PositionEncoding
  /// What the server answers as `positionEncoding`. Differs from `encoding` for a client that
  /// counts code points although it offers nothing, because to that only UTF-16 may be answered.
  public let announcedEncoding: PositionEncoding

  /// The client of an `initialize` request.
  public init(_ params: InitializeParams) {
    (name, version) = (params.clientName, params.clientVersion)
    (announcedEncoding, encoding) = (params.positionEncoding, params.columnEncoding)
  }

  /// The names that a log may show. What else a client calls itself may be anything.
  private static let knownNames: Set = [
    "Neovim", "Visual Studio Code", "VSCodium", "emacs", "helix", "Kate", "vim-lsp", "Zed",
  ]

  /// The client in words that hold nothing it chose itself.
  var label: String { name.flatMap { Self.knownNames.contains($0) ? $0 : nil } ?? "an editor" }

  /// True where deleting everything from a text that ended in a newline leaves that newline:
  /// these clients hold lines, and a buffer without any has one empty line.
  var keepsLastNewline: Bool { name == "Neovim" || name == "vim-lsp" }

  /// True where a range covers whole lines whatever was typed in them.
  var sendsWholeLines: Bool { name == "vim-lsp" }
}
