import EditIngest
import EditModel
import EditProtocol
import EditorSync
import FileWatch
import TextState

/// Finds the documents of files that were moved while nothing recorded that: such a document's own file is gone,
/// and its last text is that of another file.
struct MovedDocuments {
  /// The documents whose files are gone.
  private let gone: [ListedDocument]

  /// The documents whose files are gone. O(documents), with a look at each file.
  init(
    among documents: [ListedDocument],
    isGone: (String) -> Bool = { FileKind($0, followingLink: true) == nil }
  ) {
    gone = documents.filter { FileURI.path($0.document.name).map(isGone) ?? false }
  }

  /// The documents that the file at `path` may have had, the likeliest first: those whose file had its name, then
  /// those that were changed last.
  func candidates(for path: String) -> [DocumentID] {
    let name = Self.lastPart(path)
    let others = gone.compactMap { entry -> (entry: ListedDocument, isNamesake: Bool)? in
      guard let old = FileURI.path(entry.document.name), !old.isExactly(path) else { return nil }
      return (entry, Self.lastPart(old).isExactly(name))
    }
    return others.sorted { left, right in
      if left.isNamesake != right.isNamesake { return left.isNamesake }
      let times = (
        left.entry.lastTime?.nanoseconds ?? .min, right.entry.lastTime?.nanoseconds ?? .min
      )
      return times.0 == times.1
        ? left.entry.document.name.precedesExactly(right.entry.document.name) : times.0 > times.1
    }.prefix(MovedFile.comparedMax).map(\.entry.document)
  }

  /// The candidates whose last text is that of the file at `path`. Those that cannot be read are left out.
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - path: The file.
  ///   - end: The time after which no other candidate is compared.
  ///   - state: Asks for a version.
  func documents(
    having text: UTF16Text, at path: String,
    until end: ContinuousClock.Instant = ContinuousClock.now + MovedFile.timeMax,
    _ state: (StateRequest) async throws -> StateAnswer
  ) async -> [DocumentID] {
    guard !text.isEmpty, !gone.isEmpty else { return [] }
    var found: [DocumentID] = []
    for document in candidates(for: path) {
      guard found.count < MovedFile.namedMax, .now < end else { break }
      if (try? await Self.isNewest(text, of: document, state)) == true { found.append(document) }
    }
    return found
  }

  /// True if the newest version of a document has this text, without the details that editors and files
  /// disagree about. Reads no more of it than of the text.
  private static func isNewest(
    _ text: UTF16Text, of document: DocumentID, _ state: (StateRequest) async throws -> StateAnswer
  ) async throws -> Bool {
    func part(_ version: PointExpression, _ offset: Int) async throws -> StateAnswer {
      let part = VersionPart(at: version, offset: offset, limit: ShowCommand.partLength)
      return try await state(StateRequest(HistoryReference(document), part))
    }
    var answer = try await part(.latest, 0)
    var newest = answer.text
    while let next = answer.next {
      guard newest.count <= text.count + 1 else { return false }
      answer = try await part(.sequence(answer.sequence), next)
      newest.append(answer.text)
    }
    return ComparableText(newest) == ComparableText(text)
  }

  /// The folders of which one may have been renamed to the other: the paths without the names that they have in common
  /// at their ends. Nil if the last names differ, or if the old folder exists.
  static func folders(
    of old: String, movedTo new: String,
    isGone: (String) -> Bool = { FileKind($0, followingLink: true) == nil }
  ) -> (old: String, new: String)? {
    let (before, after) = (parts(of: old), parts(of: new))
    let count = zip(before.reversed(), after.reversed()).prefix { $0.isExactly($1) }.count
    func path(_ parts: [String]) -> String { parts.dropLast(count).map { "/" + $0 }.joined() }
    let folders = (old: path(before), new: path(after))
    guard !folders.old.isEmpty, !folders.new.isEmpty, !folders.old.isExactly(old),
      isGone(folders.old)
    else { return nil }
    return folders
  }

  private static func lastPart(_ path: String) -> String { parts(of: path).last ?? path }

  private static func parts(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Session {
  /// The hint for a file without a history that has the last text of documents whose files are gone: their names, and
  /// the command that renames one of them. Nil if there are none, or if the documents cannot be read.
  func hintOfMove(to argument: String) async -> String? {
    guard let meaning = try? DocumentArgument(argument).candidates.first,
      let path = FileURI.path(meaning.name), let bytes = FileText.bytes(atPath: path),
      let text = String(validating: bytes, as: UTF8.self).map({ UTF16Text($0) }), !text.isEmpty,
      let listed = try? await backend.ask(DocumentsRequest()).documents
    else { return nil }
    let found = await MovedDocuments(among: listed).documents(having: text, at: path) {
      try await backend.ask($0)
    }.map(\.argument)
    guard let old = found.first else { return nil }
    let commands = found.map { "`editlog rename \($0.shellWord) \(path.shellWord)`" }
    let (names, are) = (found.map(\.shown).joined(separator: " or "), found.count > 1)
    var hint = """
      its text is the last one of \(names), whose \(are ? "files are" : "file is") gone: \
      \(commands.joined(separator: " or ")) gives that history the name
      """
    if let folders = MovedDocuments.folders(of: old, movedTo: path) {
      let count = FolderRename.count(of: folders.old, among: listed.map(\.document))
      if count > 1 {
        hint += """
          , and `editlog rename --prefix \(folders.old.shellWord) \(folders.new.shellWord)` does so for all \
          \(Numbers.grouped(count)) documents of the folder
          """
      }
    }
    return hint
  }
}
