/// A notification of an editor that can change the log.
package enum EditorNotification: String, CaseIterable {
  case didOpen = "textDocument/didOpen"
  case didChange = "textDocument/didChange"
  case didSave = "textDocument/didSave"
  case didClose = "textDocument/didClose"
  case didRenameFiles = "workspace/didRenameFiles"

  /// The other notifications that LSP 3.17 has a client send while a session lasts.
  private static let withoutEffect: Set = [
    "textDocument/willSave", "window/workDoneProgress/cancel", "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
    "workspace/didCreateFiles", "workspace/didDeleteFiles", "notebookDocument/didOpen",
    "notebookDocument/didChange", "notebookDocument/didSave", "notebookDocument/didClose",
  ]

  /// True for a notification of a session that never changes the log. Each implementation may define
  /// methods that begin with `$/`, and the others may ignore them.
  static func hasNoEffect(_ method: String) -> Bool {
    withoutEffect.contains(method) || method.hasPrefix("$/")
  }
}
