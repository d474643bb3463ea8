package import EditJSON
package import EditModel
package import EditProtocol

/// What a bridge adds to `initialize`, in `initializationOptions.editlog`.
package struct EditorAttachment {
  /// The run of the bridge. Nil for a client that is not a bridge: it sends no list of open documents.
  package var session: SessionID?
  /// The documents that were open before this connection began.
  package var open: [ReopenedDocument] = []

  /// Reads the params of `initialize`. Members of a wrong shape count as missing, as do those of the
  /// rest of `initialize`.
  package init(initialize params: JSON) {
    guard let editlog = params["initializationOptions"]?["editlog"],
      case .array? = editlog["open"]
    else { return }
    if case .string(let name)? = editlog["session"] {
      session = name.string.flatMap { SessionID($0) }
    }
    open = [ReopenedDocument](members: editlog)
  }
}
