package import EditJSON
package import EditModel
import EditProtocol

/// What a bridge adds to `initialize`, in `initializationOptions.editlog`.
package struct EditorAttachment {
  /// The run of the bridge.
  package var session: SessionID?
  /// The documents that were open before this connection began.
  package var open: [DocumentID] = []

  /// Reads the params of `initialize`. Members of a wrong shape count as missing, as do those of the
  /// rest of `initialize`.
  package init(initialize params: JSON) {
    guard let editlog = params["initializationOptions"]?["editlog"] else { return }
    if case .string(let name)? = editlog["session"] {
      session = name.string.flatMap { SessionID($0) }
    }
    guard case .array(let uris)? = editlog["open"] else { return }
    open = uris.compactMap { uri in
      guard case .string(let name) = uri else { return nil }
      return name.string.flatMap { DocumentID($0) }
    }
  }
}
