import EditJSON
import EditModel
import EditProtocol
import Interchange

/// A file that was read to be imported.
struct ImportFile {
  /// The text with its attributes.
  var text: AttributedText
  /// What was repaired, one line each.
  var repairs: [String] = []
  /// What the text cannot carry of the file, one line each.
  var losses: [String] = []
  /// The items of the model that the file has; nil if it is no model.
  var items: ImportedItems?
}

/// The items of a model that was imported, and the paragraphs that they became.
struct ImportedItems {
  /// The number of items.
  let count: Int
  /// For each paragraph, in order, the item in which it starts; nil if the model has no items.
  let sources: [Int?]

  /// The identifiers of the paragraphs that start in each item, if these are those of the paragraphs.
  func identifiers(_ paragraphs: [ParagraphID]) -> [[ParagraphID]] {
    var items = [[ParagraphID]](repeating: [], count: count)
    for (source, id) in zip(sources, paragraphs) {
      if let source { items[source].append(id) }
    }
    return items
  }
}

extension Session {
  /// Loads a file into a new document, as one transaction of origin `load`; as several, if it is larger
  /// than a request may be. If they were interrupted, the same import goes on.
  ///
  /// - Throws: `CommandError` (65) if the document has other edits, or the file cannot be read.
  func importFile(
    _ path: String, into name: String, as verb: String, by author: AuthorOption, asJSON: Bool,
    read: ([UInt8]) throws(InterchangeError) -> ImportFile
  ) async throws {
    let start = SystemTime.monotonicNanoseconds
    let bytes = try InputFile.read(path)
    var file: ImportFile
    do throws(InterchangeError) { file = try read(bytes) } catch {
      throw CommandError.data("\(path.shown): \(error)")
    }
    file.losses += file.text.removeInvalidValues()
    let target = try await targetForImport(name)
    let document = target.document
    try await introduce(as: "import \(verb)", by: author)
    let count = try await load(file.text.loadingActions(), into: target, by: author.name)
    for repair in file.repairs { note("repaired: \(repair)") }
    for loss in file.losses { note("editlog: \(loss)") }
    if file.text.attachmentCount > 0 {
      note(
        """
        editlog: attachments whose bytes are not in the file: \(file.text.attachmentCount); \
        `editlog attach` stores those of a file, and inserts it once more, which `editlog undo` takes back
        """)
    }
    noteImport(
      EditImporter.Tally(edits: count, transactions: count), into: document,
      nanoseconds: SystemTime.monotonicNanoseconds - start)
    guard asJSON else { return }
    var items: [[ParagraphID]]?
    if let model = file.items {
      items = model.identifiers(try await identifiers(of: document, at: count))
    }
    try printImport(
      EditImporter.Tally(edits: count, transactions: count), into: document,
      repairs: file.repairs, items: items)
  }

  /// The identifiers of the paragraphs of a version, in order.
  private func identifiers(
    of document: DocumentID, at version: SequenceNumber
  ) async throws -> [ParagraphID] {
    var (ids, next): ([ParagraphID], Int?) = ([], 0)
    while let offset = next {
      let part = VersionPart(at: .sequence(version), offset: offset, limit: 10_000)
      let answer = try await backend.ask(ParagraphsRequest(HistoryReference(document), part))
      for paragraph in answer.paragraphs { ids.append(paragraph.id) }
      next = answer.next
    }
    return ids
  }

  /// Makes a text of the empty document, or of one that has the first edits of this import.
  ///
  /// - Parameters:
  ///   - actions: The edits, each one request.
  ///   - target: The document.
  ///   - author: The author of the edits.
  /// - Returns: The number of edits of the text, those that were there already included.
  func load(
    _ actions: [EditAction], into target: ImportTarget, by author: String?
  ) async throws -> UInt64 {
    let document = target.document
    var interrupted = InterruptedImport(of: document, exists: target.exists, self)
    let edits = actions.map { AppendEdit(action: $0, origin: .load) }
    let new = try await interrupted.remaining(of: edits)
    try interrupted.end(isComplete: new.isEmpty)
    var version = interrupted.count
    if version > 0 {
      note("The first \(Numbers.grouped(version)) edits were in the document already.")
    }
    for edit in new {
      do {
        // In JSON, because an edit of the native dialect has room for fewer attributes.
        version = try await backend.perform(
          AppendRequest(
            document: document, base: version, author: author, origin: .load, atRest: true,
            edits: [edit])
        ).sequence
      } catch let error as ProtocolError where version > 0 {
        throw CommandError(
          exitCode: error.code.exitStatus,
          """
          \(error.message); the first \(version) edits of \(edits.count) are in \
          \(document.argument.shown), and the same import goes on after them
          """)
      }
    }
    return version
  }
}
