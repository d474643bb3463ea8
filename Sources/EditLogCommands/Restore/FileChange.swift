import EditIngest
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Scrubbing
import TextState

/// A change of a document that also writes its file: a restore, an undo or a redo.
///
/// The file must have the text of the newest version or of a known older one (`FileChange+Behind.swift`), or be
/// missing, and no editor may have the document open. What a file has besides its text stays (`FileForm`). Order: write
/// and sync a temporary file, append to the history, rename, log the save. Errors of writing thus come before any change,
/// and `watch` finds the new text in the history when it sees the rename.
struct FileChange {
  let session: Session
  let name: String
  let reading: ReadingOptions

  /// The document's file, if it exists on this machine and no editor is known to have it open.
  func closedFile() async throws -> DocumentFile? {
    let status = try await session.ask(name, reading.afterFirstPart) { DocumentStatusRequest($0) }
    guard status.isOpen != true, let document = session.documents[name] else { return nil }
    return DocumentFile(of: document, as: name)
  }

  /// True if the document has a file on this machine that an editor is known to have open.
  func isFileOpen() async throws -> Bool {
    let status = try await session.ask(name, reading.afterFirstPart) { DocumentStatusRequest($0) }
    guard status.isOpen == true, let document = session.documents[name] else { return false }
    return DocumentFile(of: document, as: name) != nil
  }

  /// Notes after a change, which made version `version`, that the document's file still has another text, if it has
  /// and no editor has it open.
  func noteUnwritten(_ version: SequenceNumber) async throws {
    guard let file = try await closedFile() else { return }
    let newest = try await text(of: version)
    guard let known = try await knownText(of: file, newest: newest, version) else {
      return noteUnknown(file)
    }
    guard known != newest else { return }
    session.note(
      """
      Only the history has changed. The file \(file.argument.shown) still has an older text, which the next \
      editor that opens it logs as an external edit. To write the new text to it: editlog write \
      \(name.shellWord). Next time, --write changes both.
      """)
  }

  private func noteUnknown(_ file: DocumentFile) {
    session.note(
      """
      Only the history has changed. The file \(file.argument.shown) still has its own text, which the next \
      editor that opens it logs as an external edit. To write the new text to another file: \
      \(file.command(name)). Next time, --write changes both.
      """)
  }

  /// True if the file has the text of version `base` or of a known older one, so that a change may replace it.
  func canWrite(_ file: DocumentFile, base: SequenceNumber) async throws -> Bool {
    try await knownText(of: file, newest: text(of: base), base) != nil
  }

  /// Makes the change on `writer` and writes the file. Returns the file as well, if its bytes changed.
  ///
  /// - Parameters:
  ///   - edits: The edits that the change will append.
  ///   - base: The version that they are made against.
  ///   - version: The member of the answer for the version that the change made.
  ///   - change: The change of the document of the given name, if it is at version `base`.
  /// - Throws: `ProtocolError`: those of `change`, and `openInEditor`. `CommandError`: 64 if the document is not named
  ///   after a file; 65 if the file has another text; 73 or 74 if it cannot be written. Nothing is changed then, unless
  ///   the message says so.
  func perform<C: EditIngest.Change>(
    _ edits: [AppendEdit], to base: SequenceNumber,
    making version: KeyPath<C.Answer, SequenceNumber>,
    on writer: Session, _ change: (DocumentID) -> C
  ) async throws -> (answer: C.Answer, file: DocumentFile?) {
    let target = try await target(whenOpen: Self.withoutWriting)
    let old = try await text(of: base)
    let new = try Self.text(old, after: edits)
    let known =
      try await target.isMissing ? old : knownText(of: target.file, newest: old, base) ?? old
    let replacement: FileReplacement
    do throws(CommandError) {
      replacement = try target.replacement(of: known, by: new)
    } catch {
      throw CommandError(
        exitCode: error.exitCode,
        "\(error.message); nothing was changed (without --write, only the history changes)")
    }
    let answer = try await writer.perform(name, change)
    guard target.isMissing || known != new else { return (answer, nil) }
    let file = target.file
    do throws(CommandError) { try replacement.finish() } catch {
      throw CommandError(
        exitCode: error.exitCode,
        """
        \(error.message); the history has the change, but the file was not written. To write the text to another \
        file: \(file.command(name))
        """)
    }
    try await noteSave(of: answer[keyPath: version], on: writer)
    return (answer, file)
  }

  /// What to do instead of a change with `--write` while an editor has the document open.
  static let withoutWriting = "without --write, it makes the change in its text"

  /// The document's file, which no editor has open.
  ///
  /// - Parameter advice: What to do while an editor has it open.
  /// - Throws: `ProtocolError`: `openInEditor`. `CommandError`: 64 if the document is not named after a file; 73 if
  ///   such a file could not be made.
  func target(whenOpen advice: String) async throws -> Target {
    guard let document = session.documents[name], let path = FileURI.path(document.name) else {
      throw CommandError.usage(
        "\(name.shown) is not the name of a file on this machine, so there is none to write")
    }
    let existing = DocumentFile(of: document, as: name)
    guard let file = existing ?? DocumentFile.missing(of: document, as: name) else {
      throw CommandError(
        exitCode: 73,
        "cannot write \(path.shown): \(DocumentFile.problem(of: path)); nothing was changed")
    }
    let status = try await session.ask(name, reading.afterFirstPart) { DocumentStatusRequest($0) }
    if status.isOpen == true {
      throw ProtocolError(.openInEditor, "an editor has \(name.shown) open; \(advice)")
    }
    return Target(file: file, isMissing: existing == nil)
  }

  /// A file that is to be written.
  struct Target {
    let file: DocumentFile
    /// True if it does not exist.
    let isMissing: Bool

    /// The replacement of the file's text, which must be `old`, if it is there.
    ///
    /// - Throws: `CommandError`: 65 if the file has another text; 73 or 74 if it cannot be written.
    func replacement(
      of old: UTF16Text, by new: UTF16Text
    ) throws(CommandError) -> FileReplacement {
      isMissing
        ? try FileReplacement(creating: file.path, with: FileForm.newFile(new))
        : try FileReplacement(of: file.path) { (bytes) throws(CommandError) in
          try FileForm(bytes, of: old)?.bytes(of: new, at: file.path)
        }
    }
  }

  /// Logs that the file has a version, unless something has changed the document since.
  func noteSave(of version: SequenceNumber, on writer: Session) async throws {
    do {
      _ = try await writer.perform(name) {
        AppendRequest(document: $0, base: version, atRest: true, isSaved: true, edits: [])
      }
    } catch let error as ProtocolError {
      if error.code == .sequenceConflict || error.code == .openInEditor { return }
      session.note(
        "The history and the file have the change; its save is not logged: \(error.message)")
    }
  }

  /// The whole text of a version.
  func text(of version: SequenceNumber) async throws -> UTF16Text {
    var (text, offset) = (UTF16Text(), Int?.some(0))
    while let start = offset {
      let part = try await session.ask(name, reading.afterFirstPart) {
        StateRequest(
          $0, VersionPart(at: .sequence(version), offset: start, limit: ShowCommand.partLength))
      }
      text.append(part.text)
      offset = part.next
    }
    return text
  }

  static func text(
    _ old: UTF16Text, after edits: [AppendEdit]
  ) throws(ProtocolError) -> UTF16Text {
    var state = TextState(showing: old)
    do throws(EditError) {
      for edit in edits where edit.action.replacement != nil {
        try state.advance(by: edit.action)
      }
    } catch {
      throw ProtocolError(.internalError, "the change does not fit the text: \(error)")
    }
    return state.text
  }
}
