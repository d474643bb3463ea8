import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditorSync
import TextState

// A file that was moved while nothing recorded that begins a history beside the one that it had.
extension Ingest {
  /// The number of documents whose texts are compared.
  private static let movedComparedMax = 16

  /// Looks on another thread for a document whose file is gone and whose last text is that of one that an
  /// editor has just begun by opening it, and tells the editor. Documents with the file's name, and those in
  /// its folder, are compared. O(documents) on the loop.
  func lookForMoved(_ params: DidOpenParams, of key: EditorKey) {
    guard !params.text.isEmpty, let output = desk.output(of: key),
      let path = FileURI.path(params.uri.name), FileText.exists(fileURI: params.uri.name)
    else { return }
    let name = params.uri.name.utf8
    guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return }
    let (folder, last) = (name[...slash], name[slash...])
    let similar = writer.names { other in
      other != params.uri
        && (other.name.utf8.suffix(last.count).elementsEqual(last)
          || other.name.utf8.starts(with: folder))
    }
    guard !similar.isEmpty else { return }
    JobThread.run { [self] in
      let gone = similar.lazy.filter {
        FileURI.path($0.name) != nil && !FileText.exists(fileURI: $0.name)
      }
      let text = ComparableText(params.text)
      let moved = gone.prefix(Self.movedComparedMax).first { document in
        newestState(toCompare: document).map { ComparableText($0) == text } ?? false
      }
      guard let moved, let old = FileURI.path(moved.name) else { return }
      output.send(.notification(method: "window/showMessage", params: Self.notice(old, path)))
    }
  }

  /// The params of `window/showMessage` about a file that was moved from `old` to `new`.
  private nonisolated static func notice(_ old: String, _ new: String) -> JSON {
    func quoted(_ path: String) -> String { "'" + path.replacing("'", with: "'\\''") + "'" }
    let message = """
      EditLog: \(old.shown) has no file any more, and its last text is that of \(new.shown). To go on with its \
      history, close \(new.shown) and run: editlog forget \(quoted(new)) --yes && editlog rename \
      \(quoted(old)) \(quoted(new))
      """
    return ["type": 3, "message": JSON(message)]
  }
}
