import EditModel
import EditProtocol
import EditorSync
import FileWatch
import Glibc

/// The file on this machine that a document is the text of.
struct DocumentFile: Hashable, Sendable {
  /// The path, without symbolic links.
  let path: String
  /// The path that messages show.
  let argument: String

  /// Returns nil if the document is not named after a file, or the file does not exist.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - name: The argument that the user gave for it.
  init?(of document: DocumentID, as name: String) {
    guard let named = FileURI.path(document.name), let path = DocumentArgument.realPath(named)
    else {
      return nil
    }
    self.path = path
    argument = DocumentArgument.realPath(name).isExactly(path) ? name : named
  }

  /// The file of a document that is named after one, if no such file exists and its folder does.
  static func missing(of document: DocumentID, as name: String) -> DocumentFile? {
    guard let named = FileURI.path(document.name),
      let path = DocumentArgument.realPathOfMissing(named)
    else { return nil }
    // A link to nowhere is there.
    var status = stat()
    guard lstat(path, &status) != 0 else { return nil }
    let isArgument =
      DocumentArgument.realPathOfMissing(name.utf8.contains(UInt8(ascii: "/")) ? name : "./" + name)
      .isExactly(path)
    return DocumentFile(path: path, argument: isArgument ? name : named)
  }

  /// Why there is no file at a path, and none can be made.
  static func problem(of path: String) -> String {
    guard DocumentArgument.realPathOfMissing(path) != nil else {
      return "its folder is gone, or may not be entered"
    }
    return FileKind(path) == .folder ? "it is a folder" : "it is a link that leads to no file"
  }

  private init(path: String, argument: String) { (self.path, self.argument) = (path, argument) }

  /// A command that writes the newest version to a new file beside this one. It overwrites nothing: the file
  /// may have text that was never logged.
  func command(_ document: String) -> String {
    "editlog restore \(document.shellWord) --at latest --to \("\(argument).restored".shellWord)"
  }
}
