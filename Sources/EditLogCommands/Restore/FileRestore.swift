import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Scrubbing
import TextState

/// A restore that also writes the document's file.
///
/// The file must have exactly the bytes of the newest version, and no editor may have the document open. Order: write
/// and sync a temporary file, append to the history, rename. Errors of writing thus come before any change, and
/// `watch` finds the new text in the history when it sees the rename.
struct FileRestore {
  /// What to restore.
  struct Part {
    var at: PointExpression
    var paragraph: ParagraphID?
    var range: UTF16Range?
    /// The expected newest version; nil for any.
    var base: SequenceNumber?
  }

  let session: Session
  let name: String
  let reading: ReadingOptions

  /// The document's file, if it exists on this machine and no editor is known to have it open.
  func closedFile() async throws -> DocumentFile? {
    let status = try await session.ask(name, reading.afterFirstPart) { DocumentStatusRequest($0) }
    guard status.isOpen != true, let document = session.documents[name] else { return nil }
    return DocumentFile(of: document, as: name)
  }

  /// Notes after a change that the document's file still has the text before it, if no editor has it open.
  ///
  /// - Parameter more: A further sentence.
  func noteUnwritten(_ more: String = "") async throws {
    guard let file = try await closedFile() else { return }
    session.note(
      """
      Only the history has changed. The file \(file.argument.shown) still has its own text, which the next \
      editor that opens it logs as an external edit. To write the new text to another file: \
      \(file.command(name)).\(more)
      """)
  }

  /// True if the file has exactly the bytes of version `base`, so that a restore may replace it.
  func canWrite(_ file: DocumentFile, base: SequenceNumber) async throws -> Bool {
    let text = try await text(of: base)
    return FileText.bytes(atPath: file.path).map { Self.bytes(of: text) == $0 } ?? false
  }

  /// Performs the restore on `writer` and writes the file. Returns the file as well, if its bytes changed.
  ///
  /// - Throws: `ProtocolError`: those of `RestoreRequest`, and `openInEditor`. `CommandError`: 64 if the document is
  ///   not named after a file; 65 if the file has other bytes; 73 or 74 if it cannot be written. Nothing is changed
  ///   then, unless the message says so.
  func perform(
    _ part: Part, on writer: Session
  ) async throws -> (answer: RestoreAnswer, file: DocumentFile?) {
    let plan = try await session.ask(name, reading) {
      RestorePlanRequest($0, at: part.at, paragraph: part.paragraph, range: part.range)
    }
    if let base = part.base, base != plan.base {
      throw ProtocolError(
        .sequenceConflict, "the document is at version \(plan.base), not \(base) any more")
    }
    guard let document = session.documents[name], let file = DocumentFile(of: document, as: name)
    else {
      throw CommandError.usage(
        "--write needs a document that is a file on this machine; --to writes a new file")
    }
    let status = try await session.ask(name, reading.afterFirstPart) { DocumentStatusRequest($0) }
    if status.isOpen == true {
      throw ProtocolError(
        .openInEditor,
        "an editor has \(name.shown) open; without --write, it makes the change in its text")
    }
    let old = try await text(of: plan.base)
    let new = try Self.text(old, after: plan.edits)
    guard let oldBytes = Self.bytes(of: old), let newBytes = Self.bytes(of: new) else {
      throw CommandError.data(
        "the text has a lone surrogate, which UTF-8 cannot encode; nothing was changed")
    }
    let replacement: FileReplacement
    do throws(CommandError) {
      replacement = try FileReplacement(of: file.path, from: oldBytes, to: newBytes)
    } catch {
      throw CommandError(
        exitCode: error.exitCode,
        "\(error.message); nothing was restored (without --write, only the history changes)")
    }
    let answer = try await writer.perform(name) {
      RestoreRequest(
        reading.reference($0), at: part.at, paragraph: part.paragraph, range: part.range,
        base: plan.base, atRest: true)
    }
    guard oldBytes != newBytes else { return (answer, nil) }
    do throws(CommandError) { try replacement.finish() } catch {
      throw CommandError(
        exitCode: error.exitCode,
        """
        \(error.message); the history is at version \(answer.sequence) now, but the file was not written. To \
        write the text to another file: \(file.command(name))
        """)
    }
    return (answer, file)
  }

  /// The whole text of a version.
  private func text(of version: SequenceNumber) async throws -> UTF16Text {
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

  private static func text(
    _ old: UTF16Text, after edits: [AppendEdit]
  ) throws(ProtocolError) -> UTF16Text {
    var state = TextState(showing: old)
    do throws(EditError) {
      for edit in edits where edit.action.replacement != nil {
        try state.advance(by: edit.action)
      }
    } catch {
      throw ProtocolError(.internalError, "the restore does not fit the text: \(error)")
    }
    return state.text
  }

  /// The text in UTF-8; nil if it has lone surrogates.
  private static func bytes(of text: UTF16Text) -> [UInt8]? {
    let string = String(text)
    return UTF16Text(string) == text ? Array(string.utf8) : nil
  }
}
