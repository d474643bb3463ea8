import EditModel
import EditProtocol
import EditorSync
import Glibc

/// The file on this machine whose text a document is.
struct DocumentFile: Hashable, Sendable {
  /// The path, without symbolic links.
  let path: String
  /// The path as it is shown and given as an argument.
  let argument: String

  /// The file of a document that the user calls `name`. Nil if the document is no file's, or there is no such
  /// file now.
  init?(of document: DocumentID, as name: String) {
    guard let named = FileURI.path(document.name), let path = DocumentArgument.realPath(named)
    else {
      return nil
    }
    self.path = path
    argument = DocumentArgument.realPath(name) == path ? name : named
  }

  /// The command that writes the newest version to the file.
  func command(_ document: String) -> String {
    "editlog show \(document.shellWord) > \(argument.shellWord)"
  }
}
