import ArgumentParser
import EditModel
import EditProtocol

struct RenameCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a document another name, so that its history follows its file.",
    discussion: withExamples(
      """
      Files are not moved. Use it after a file was moved while neither an editor nor `watch` recorded \
      that, and with --prefix after a folder was moved or a store was copied to another machine or \
      home. NEW must not be the name of a document. The former name still finds the document.

      With --prefix, OLD and NEW are folders, or beginnings of names that end before a slash: every \
      document in OLD is renamed. If one of the new names is taken, no document is renamed. Documents \
      that are open in an editor keep their names, and are listed; run the command again later.
      """))

  static let examples = [
    Example("editlog rename draft.md essay.md", "after `mv draft.md essay.md`"),
    Example(
      "editlog rename --prefix /home/ada /home/bob", "a store that was copied to another home"),
    Example("editlog rename --prefix notes texts --dry-run", "show what would be renamed"),
  ]

  static var jsonLines: [JSONLine] {
    [.init("each document that was renamed", RenameRequest.definition.params)]
  }

  @Argument(help: "The document, or the folder with --prefix.", completion: .documents)
  var old: String
  @Argument(help: "The new name: the path of a file, or another name.", completion: .file())
  var new: String
  @Flag(help: "Rename all documents in the folder OLD.") var prefix = false
  @Flag(help: "Print the renames, and change nothing.") var dryRun = false
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.introduce(as: "rename", by: author)
    guard prefix else {
      let document = try await document(session)
      let move = RenameRequest(document, to: try newName(for: document))
      guard move.document != move.name else {
        throw CommandError.usage("\(new.shown) is the name that the document has")
      }
      let taken = try await session.exists(move.name) ? [move.name] : []
      try refuse(taken)
      return try await rename(move, session)
    }
    let names = try await session.backend.ask(DocumentsRequest()).documents.map(\.document)
    let moves = try FolderRename.moves(from: old, to: new, among: names)
    guard !moves.isEmpty else {
      throw ProtocolError(
        .unknownDocument, "there is no document in \(old.shown); `editlog documents` lists all")
    }
    let freed = Set(moves.map(\.document))
    let known = Set(names)
    try refuse(moves.map(\.name).filter { known.contains($0) && !freed.contains($0) })
    try await rename(moves, session)
  }

  /// The document that `old` means. An error names `--prefix` if it is a folder with documents.
  private func document(_ session: Session) async throws -> DocumentID {
    do { return try await session.exactDocument(old, isLasting: false) } catch var error
      as ProtocolError where error.code == .unknownDocument
    {
      let names = try? await session.backend.ask(DocumentsRequest()).documents.map(\.document)
      let count = FolderRename.count(of: old, among: names ?? [])
      guard count > 0 else { throw error }
      error.message = """
        there is no document \(old.shown), but \(Numbers.grouped(count)) \(count == 1 ? "is" : "are") in that \
        folder: `editlog rename --prefix \(old.shellWord) \(new.shellWord)` renames all of them
        """
      throw error
    }
  }

  /// Renames documents one after the other. Those that are open in an editor are left out.
  private func rename(_ moves: [RenameRequest], _ session: Session) async throws {
    var open = 0
    for move in moves {
      do { try await rename(move, session) } catch let error as ProtocolError
        where error.code == .openInEditor
      {
        session.note("editlog: \(error.message)")
        open += 1
      }
    }
    guard open > 0 else { return }
    throw CommandError(
      exitCode: 75,
      """
      \(Numbers.grouped(open)) of \(Numbers.grouped(moves.count)) documents keep their names; close them in \
      the editor and run the command again
      """)
  }

  private func rename(_ move: RenameRequest, _ session: Session) async throws {
    if !dryRun { _ = try await session.backend.perform(move) }
    if common.json { return try session.printJSON(move, RenameRequest.definition.params) }
    let (old, new) = (move.document.argument.shown, move.name.argument.shown)
    try session.output.writeLine("\(old) \(dryRun ? "would be" : "is now") \(new)")
  }

  /// The name that the argument `new` means for a document: the file's at the path, if it has the form of a
  /// path, there is such a file, or the document is named after a file.
  private func newName(for document: DocumentID) throws(CommandError) -> DocumentID {
    let meaning = try DocumentArgument(new)
    let files = meaning.candidates.filter { FileURI.path($0.name) != nil }
    let isOfFile = FileURI.path(document.name) != nil
    guard let name = isOfFile ? files.first ?? meaning.candidates.first : meaning.candidates.first
    else { throw .usage("\(new.shown) cannot be a document's name") }
    return name
  }

  private func refuse(_ taken: [DocumentID]) throws(CommandError) {
    guard let first = taken.first else { return }
    let count = taken.count == 1 ? "" : ", as \(Numbers.grouped(taken.count)) of the new names are"
    throw .data(
      """
      \(first.argument.shown) is the name of another document\(count); nothing was renamed. Rename that \
      document first, or remove it with `editlog forget`
      """)
  }
}

/// The renames of the documents in a folder.
enum FolderRename {
  /// The renames of the documents in `old` to names in `new`, in an order in which each new name is free. A
  /// folder is a path, or with `name:` or `://` the beginning of names. If no document is in the path, it
  /// is the beginning of names too.
  ///
  /// - Throws: `CommandError` (64) if a new name would be too long, or the folders are the same.
  static func moves(
    from old: String, to new: String, among names: [DocumentID],
    directory: String = DocumentArgument.workingDirectory
  ) throws(CommandError) -> [RenameRequest] {
    let isPath = !isName(old) && !isName(new)
    var moves: [RenameRequest] = []
    if isPath {
      moves = try self.moves(
        FileURI.uri(of: FileURI.absolute(old, in: directory)),
        FileURI.uri(of: FileURI.absolute(new, in: directory)), names)
    }
    if moves.isEmpty { moves = try self.moves(plain(old), plain(new), names) }
    // Of documents that exchange places, the one goes first whose name no other is waiting for.
    let grows = moves.first.map { $0.name.name.utf8.count > $0.document.name.utf8.count } ?? false
    return moves.sorted { left, right in
      let (one, other) = (left.document.name, right.document.name)
      if one.utf8.count == other.utf8.count { return one.precedesExactly(other) }
      return (one.utf8.count > other.utf8.count) == grows
    }
  }

  /// The number of documents in a folder, as `moves` reads it. O(documents).
  static func count(
    of folder: String, among names: [DocumentID],
    directory: String = DocumentArgument.workingDirectory
  ) -> Int {
    let path = isName(folder) ? nil : FileURI.uri(of: FileURI.absolute(folder, in: directory))
    let counts = [path, plain(folder)].compactMap(\.self).map { beginning in
      names.count { $0.name.startsExactly(with: slashed(beginning)) }
    }
    return counts.first { $0 > 0 } ?? 0
  }

  private static func slashed(_ folder: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
  }

  private static func moves(
    _ old: String, _ new: String, _ names: [DocumentID]
  ) throws(CommandError) -> [RenameRequest] {
    guard !old.isExactly(new) else { throw .usage("OLD and NEW are the same folder") }
    let (folder, target) = (slashed(old), slashed(new))
    var moves: [RenameRequest] = []
    for document in names where document.name.startsExactly(with: folder) {
      let rest = String(decoding: document.name.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
      guard let name = DocumentID(target + rest) else {
        throw .usage("the new name of \(document.argument.shown) would be too long")
      }
      moves.append(RenameRequest(document, to: name))
    }
    return moves
  }

  private static func isName(_ argument: String) -> Bool {
    argument.hasPrefix(DocumentArgument.namePrefix) || argument.contains("://")
  }

  /// The beginning of names that an argument means. The URI of a folder has the form of names.
  private static func plain(_ argument: String) -> String {
    guard !argument.hasPrefix(DocumentArgument.namePrefix) else {
      return String(argument.dropFirst(DocumentArgument.namePrefix.count))
    }
    return FileURI.canonical(argument)
  }
}
