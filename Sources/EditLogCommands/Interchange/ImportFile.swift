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
}

extension Session {
  /// Loads a file into a new document, as one transaction of origin `load`; as several, if it is larger
  /// than a request may be.
  ///
  /// - Throws: `CommandError` (65) if the document exists, or the file cannot be read.
  func importFile(
    _ path: String, into name: String, as verb: String, by author: AuthorOption, asJSON: Bool,
    read: ([UInt8]) throws(InterchangeError) -> ImportFile
  ) async throws {
    let start = SystemTime.monotonicNanoseconds
    let bytes = try InputFile.read(path)
    let file: ImportFile
    do throws(InterchangeError) { file = try read(bytes) } catch {
      throw CommandError.data("\(path.shown): \(error)")
    }
    let document = try await documentForImport(name)
    try await introduce(as: "import \(verb)", by: author)
    let count = try await load(file.text, into: document, by: author)
    for repair in file.repairs { note("repaired: \(repair)") }
    if file.text.attachmentCount > 0 {
      note(
        """
        editlog: attachments whose bytes are not in the file: \(file.text.attachmentCount); \
        `editlog attach` stores them
        """)
    }
    if file.text.isEmpty { note("The file has no text, so no document was made.") }
    try noteImport(
      EditImporter.Tally(edits: count, transactions: count), into: document,
      nanoseconds: SystemTime.monotonicNanoseconds - start, asJSON: asJSON,
      repairs: file.repairs)
  }

  /// Makes a text of the empty document. Returns the number of edits.
  private func load(
    _ text: AttributedText, into document: DocumentID, by author: AuthorOption
  ) async throws -> UInt64 {
    var version: SequenceNumber = 0
    for action in text.loadingActions() {
      do {
        // In JSON, because an edit of the native dialect has room for fewer attributes.
        version = try await backend.perform(
          AppendRequest(
            document: document, base: version, author: author.name, origin: .load, atRest: true,
            edits: [AppendEdit(action: action)])
        ).sequence
      } catch let error as ProtocolError where version > 0 {
        throw CommandError(
          exitCode: error.code.exitStatus,
          "\(error.message); the first \(version) edits are in \(document.argument.shown)")
      }
    }
    return version
  }
}
