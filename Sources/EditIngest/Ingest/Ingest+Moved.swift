import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditorSync
import TextState

// A file that was moved while nothing recorded that begins a history beside the one that it had.
extension Ingest {
  /// The maximum number of documents whose files are looked for.
  private static let movedSoughtMax = 20_000

  /// Looks on another thread for documents whose files are gone and whose last text is that of one that an
  /// editor has just begun by opening it, and tells the editor. Documents with the file's name, and those in
  /// its folder, are compared first, then those with the most of its path. O(documents) on the loop.
  func lookForMoved(_ params: DidOpenParams, of key: EditorKey) {
    guard !params.text.isEmpty, let output = desk.output(of: key),
      let path = FileURI.path(params.uri.name), FileText.exists(fileURI: params.uri.name)
    else { return }
    let all = writer.names
    JobThread.run { [self] in
      let others = all.filter { $0 != params.uri && FileURI.path($0.name) != nil }
      let (text, end) = (ComparableText(params.text), ContinuousClock.now + MovedFile.timeMax)
      let gone = MovedFile.likeliestFirst(others, for: params.uri).prefix(Self.movedSoughtMax).lazy
        .filter { !FileText.exists(fileURI: $0.name) }
      var found: [String] = []
      for document in gone.prefix(MovedFile.comparedMax) {
        guard found.count < MovedFile.namedMax, .now < end else { break }
        guard let state = newestState(toCompare: document), ComparableText(state) == text,
          let old = FileURI.path(document.name)
        else { continue }
        found.append(old)
      }
      guard !found.isEmpty else { return }
      let message =
        "EditLog: "
        + MovedFile.sentence(from: found, to: path, before: "close it in the editor and run")
      output.send(
        .notification(
          method: "window/showMessage", params: ["type": 3, "message": JSON(message)]))
    }
  }
}

/// A file that was moved while nothing recorded that, and has begun a history of its own.
package enum MovedFile {
  /// The maximum numbers of documents whose texts are compared, and of those that are named.
  package static let (comparedMax, namedMax) = (256, 3)
  /// The time after which no other text is read. To read one takes time in proportion to its history.
  package static let timeMax = Duration.seconds(2)

  /// What to do to go on with the history of a file that is gone. The command removes the history that `new` has
  /// begun, which must have its first text only: what was typed since is never removed.
  ///
  /// - Parameters:
  ///   - old: The paths of the files that are gone, of which `new` has the last text. There is one at least.
  ///   - new: The path of the file.
  ///   - words: What to do before the command.
  package static func sentence(from old: [String], to new: String, before words: String) -> String {
    func quoted(_ path: String) -> String { "'" + path.replacing("'", with: "'\\''") + "'" }
    let names = old.map(\.shown).joined(separator: " or ")
    let renames = old.map { "editlog rename \(quoted($0)) \(quoted(new))" }
    return """
      \(new.shown) has the last text of \(names), which \(old.count == 1 ? "has no file" : "have no files") any \
      more. To go on with that history, \(words): editlog forget \(quoted(new)) --up-to 1 --yes && \
      \(renames.joined(separator: ", or instead of the last: ")) (nothing is removed if it was edited since)
      """
  }

  /// Documents in the order in which they are looked for: those with the last name of `document`, and those in its
  /// folder, then those whose names have the most bytes in common with it at the beginning. O(n log n).
  static func likeliestFirst(_ documents: [DocumentID], for document: DocumentID) -> [DocumentID] {
    let name = document.name.utf8
    let slash = name.lastIndex(of: UInt8(ascii: "/")) ?? name.startIndex
    let (folder, last) = (name[...slash], name[slash...])
    func rank(_ other: DocumentID) -> Int {
      let other = other.name.utf8
      let isSimilar =
        other.suffix(last.count).elementsEqual(last) || other.starts(with: folder)
      return isSimilar ? .max : zip(name, other).prefix { $0 == $1 }.count
    }
    return documents.map { (document: $0, rank: rank($0)) }.sorted {
      $0.rank == $1.rank ? $0.document.name.precedesExactly($1.document.name) : $0.rank > $1.rank
    }.map(\.document)
  }
}
