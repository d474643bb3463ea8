import EditModel
import EditProtocol
import EditorSync
import FileWatch
import TextState

/// Finds the document of a file that was moved while nothing recorded that: its own file is gone, and its
/// last text is that of a file without a history.
struct MovedDocument {
  /// The number of documents whose texts are compared.
  static let comparedMax = 16

  /// The documents whose files are gone, the likeliest first: those whose file had the name of the file at
  /// `path`, then those that were changed last.
  static func candidates(
    for path: String, among documents: [ListedDocument],
    isGone: (String) -> Bool = { FileKind($0) == nil }
  ) -> [DocumentID] {
    let name = lastPart(path)
    let gone = documents.compactMap { entry -> (entry: ListedDocument, isNamesake: Bool)? in
      guard let old = FileURI.path(entry.document.name), !old.isExactly(path), isGone(old) else {
        return nil
      }
      return (entry, lastPart(old).isExactly(name))
    }
    return gone.sorted { left, right in
      if left.isNamesake != right.isNamesake { return left.isNamesake }
      let times = (
        left.entry.lastTime?.nanoseconds ?? .min, right.entry.lastTime?.nanoseconds ?? .min
      )
      return times.0 == times.1
        ? left.entry.document.name.precedesExactly(right.entry.document.name) : times.0 > times.1
    }.prefix(comparedMax).map(\.entry.document)
  }

  private static func lastPart(_ path: String) -> String {
    String(
      decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...], as: UTF8.self)
  }
}

extension Session {
  /// The path of the file that an argument names, and the document of a file that is gone whose last text
  /// this file has. Nil if there is none, or if the documents cannot be read.
  func movedDocument(for argument: String) async -> (path: String, document: DocumentID)? {
    guard let meaning = try? DocumentArgument(argument).candidates.first,
      let path = FileURI.path(meaning.name), let bytes = FileText.bytes(atPath: path),
      let text = String(validating: bytes, as: UTF8.self).map({ UTF16Text($0) }), !text.isEmpty,
      let documents = try? await backend.ask(DocumentsRequest()).documents
    else { return nil }
    for document in MovedDocument.candidates(for: path, among: documents) {
      if (try? await isNewest(text, of: document)) == true { return (path, document) }
    }
    return nil
  }

  /// True if the newest version of a document has this text, without the details that editors and files
  /// disagree about. Reads no more of it than of the text.
  private func isNewest(_ text: UTF16Text, of document: DocumentID) async throws -> Bool {
    let reference = HistoryReference(document)
    func part(_ version: PointExpression, _ offset: Int) async throws -> StateAnswer {
      let part = VersionPart(at: version, offset: offset, limit: ShowCommand.partLength)
      return try await backend.ask(StateRequest(reference, part))
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
}
