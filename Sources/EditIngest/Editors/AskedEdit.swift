import EditModel
package import EditProtocol
import NIOCore
import TextState

/// Edits that an editor was asked to make in a document that it has open.
struct AskedEdit {
  let id: Int64
  let editor: EditorKey
  let append: PendingAppend
  /// The version to which the edits refer.
  let base: SequenceNumber
  /// False if an earlier run of the daemon has asked: this one waits for what the editor reports.
  let isSent: Bool
  /// The state after the edits.
  let after: TextState
  /// Ends the wait for the editor.
  let timer: Scheduled<Void>
}

/// The connection over which an editor gets requests.
package struct EditorOutput: Sendable {
  /// The connection.
  package var source: Int
  /// Sends a message. Never blocks.
  package var send: @Sendable (RPCMessage) -> Void

  package init(source: Int, send: @escaping @Sendable (RPCMessage) -> Void) {
    (self.source, self.send) = (source, send)
  }
}
