import EditModel
package import EditProtocol

/// The client of an LSP connection, and the quirks that change how its edits are read.
///
/// Quirks are recognised by the name in `clientInfo`. The messages of a client without a name are read
/// as LSP specifies, and by the rules that hold for all clients.
package struct LSPClient: Hashable, Sendable {
  /// The name in `clientInfo`, if there is one.
  package let name: String?
  /// The version in `clientInfo`, if there is one.
  package let version: String?
  /// The unit of the client's columns.
  package let encoding: PositionEncoding
  /// The `positionEncoding` that the server answers. It differs from `encoding` for a client that
  /// counts code points but offers no encoding: the only legal answer to it is UTF-16.
  package let announcedEncoding: PositionEncoding
  /// The client's session, if it has described itself.
  package let identity: ClientIdentity?

  /// True if the client makes edits that a server asks for.
  package let appliesEdits: Bool
  /// True if the client selects a range of a document if a server asks for it.
  package let showsDocuments: Bool

  /// The client of an `initialize` request.
  package init(_ params: InitializeParams) {
    (name, version) = (params.clientName, params.clientVersion)
    (appliesEdits, showsDocuments) = (params.appliesEdits, params.showsDocuments)
    (announcedEncoding, encoding) = (params.positionEncoding, params.columnEncoding)
    identity = params.identity
  }

  /// The names that a log may contain. Any other name may be private text.
  private static let knownNames: Set = [
    "Neovim", "Visual Studio Code", "VSCodium", "emacs", "helix", "Kate", "vim-lsp", "Zed",
  ]

  /// The client's name for the user, in an answer. At most 64 characters.
  package var shownName: String { name.map { String($0.prefix(64)).shown } ?? "an editor" }

  /// The client's name for the log.
  package var label: String {
    name.flatMap { Self.knownNames.contains($0) ? $0 : nil } ?? "an editor"
  }

  /// True if a text that ends in a newline still has that newline after everything is deleted. The
  /// buffers of these clients consist of lines, and an empty buffer has one empty line.
  var keepsLastNewline: Bool { name == "Neovim" || name == "vim-lsp" }

  /// True if the client compares its texts to find the ranges that it sends.
  var sendsDifferences: Bool { name == "Neovim" || sendsWholeLines }

  /// True if the client always sends whole lines, even for a change inside a line.
  var sendsWholeLines: Bool { name == "vim-lsp" }
}
