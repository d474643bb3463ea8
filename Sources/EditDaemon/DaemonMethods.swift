import EditModel
import EditProtocol
import EditQueries

/// The methods of a connection. What is not in one of these lists is not there, whatever can be
/// done about it: a test goes through all of them.
enum DaemonMethods {
  /// Requests, each of which is answered.
  static let requests = Set(Methods.names).union(["initialize", "shutdown"])

  /// Notifications of editors that tell of documents, and are read.
  static let told: Set = [
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
    "textDocument/didClose", "workspace/didRenameFiles",
  ]

  /// The other notifications that LSP 3.17 has a client send while a session lasts. They say
  /// nothing that belongs into a log.
  private static let passedOver: Set = [
    "textDocument/willSave", "window/workDoneProgress/cancel", "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
    "workspace/didCreateFiles", "workspace/didDeleteFiles", "notebookDocument/didOpen",
    "notebookDocument/didChange", "notebookDocument/didSave", "notebookDocument/didClose",
  ]

  /// True if a bridge may pass the notification on though nothing is learnt from it. Names that
  /// begin with `$/` are free for every implementation, and may be ignored by every other.
  static func mayIgnore(_ method: String) -> Bool {
    passedOver.contains(method) || method.hasPrefix("$/")
  }
}

extension ProtocolError {
  /// What a log may say of it. Messages name documents; the log of a daemon does not.
  var wordsForLog: String {
    guard let file = damagedFile else { return code.name }
    return "\(code.name), \(file)"
  }
}
