import EditModel
import EditProtocol

/// The edits that an import, which was interrupted, has left in its document. The same import goes on
/// after them if they are its first edits.
struct InterruptedImport {
  private let document: DocumentID
  private let session: Session
  private let exists: Bool
  /// The edits that are read and not compared, in the order of the history.
  private var read: ArraySlice<Edit> = []
  /// Where the next part of the history begins; nil after the last one.
  private var next: SequenceNumber? = 0
  /// The number of edits of the import that are in the document.
  private(set) var count: UInt64 = 0

  /// The edits of a document; none if it does not exist.
  init(of document: DocumentID, exists: Bool, _ session: Session) {
    (self.document, self.exists, self.session) = (document, exists, session)
    if !exists { next = nil }
  }

  /// The edits that are not in the document yet, of the next ones of the import.
  ///
  /// - Parameter edits: The next edits of the import, without an end inside a request that was sent.
  /// - Throws: `CommandError` (65) if the document has other edits.
  mutating func remaining(of edits: [AppendEdit]) async throws -> [AppendEdit] {
    var rest = edits[...]
    while let edit = rest.first, let logged = try await nextLogged() {
      guard edit.action == logged.action, edit.origin ?? .load == logged.origin else {
        throw foreign
      }
      rest = rest.dropFirst()
      count += 1
    }
    return Array(rest)
  }

  /// Checks at the end of an import that the document lacked some of its edits, and has no others.
  ///
  /// - Parameter isComplete: True if no edit of the import is missing in the document.
  /// - Throws: `CommandError` (65).
  func end(isComplete: Bool) throws(CommandError) {
    guard exists, isComplete else { return }
    guard count > 0, read.isEmpty else { throw foreign }
    throw .data(
      """
      \(document.argument.shown) has a history already: all edits of this import are in it, so none was \
      sent; to import it again, name another document with --document
      """)
  }

  private mutating func nextLogged() async throws -> Edit? {
    while read.isEmpty, let start = next {
      let answer = try await session.backend.ask(
        LogRequest(HistoryReference(document), HistoryPart(after: start)))
      for entry in answer.entries {
        switch entry {
        case .edit(let edit): read.append(edit)
        // Each run of an import describes itself.
        case .event(let event):
          guard case .session = event.kind else { throw foreign }
        }
      }
      next = answer.next
    }
    return read.popFirst()
  }

  private var foreign: CommandError {
    .data(
      """
      \(document.argument.shown) has a history already, which is not the beginning of this import; an \
      import needs a new document, so name another with --document, or remove this one with \
      `editlog forget`
      """)
  }
}
