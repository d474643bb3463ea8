import EditClient
import EditModel
import EditProtocol
import EditorSync
import FileWatch
import TextState

/// Makes the newest version of a file's document equal to the file.
///
/// - The difference is logged as edits of origin `external`, in one transaction. A document that is not
///   in the log begins with the file's text, of origin `load`, as one that an editor opens does. A `saved`
///   event follows either.
/// - A byte order mark is the file's form, and no text. If an editor had the document open, so are line ends
///   and the last newline, because many do not report them as they write them: the document keeps its own.
///   If only the form differs, nothing is logged. So an editor's own save is no news, and an editor and this
///   program never log line ends in turn.
/// - The edits name the version that they were made against, and are refused while an editor has the
///   document open. So they can neither be logged twice nor change a text under an editor.
/// - The file is read again after the newest version, and that text is logged. Another program that follows
///   the file too may have logged what came later, and an old text would be logged after it.
struct FileLogger {
  let client: EditLogClient
  private let watcher: FileWatcher

  /// A logger of the files of `watcher`.
  init(client: EditLogClient, _ watcher: FileWatcher) {
    (self.client, self.watcher) = (client, watcher)
  }

  /// What was logged.
  enum Outcome: Hashable {
    /// The log has this text already.
    case same
    /// The document is new. An empty file begins none.
    case begun
    /// The difference was logged as this number of edits.
    case changed(editCount: Int)
    /// The file had no text to log any more. Nothing was logged.
    case unread
    /// The document would be new, and was not to be begun.
    case unbegun
  }

  /// The maximum number of edits in a request. Each has nine JSON values, and a request at most 2^20.
  private static let editCountMax = 100_000
  /// How often a file is compared again because the document has changed meanwhile.
  private static let attemptCountMax = 8
  /// The parts of a history that are searched for an editor, from its end.
  private static let partCountMax = 10

  /// Compares a file with the log, and logs the difference. Returns when it is durable.
  ///
  /// - Parameters:
  ///   - text: The text that was read from the file. If the log has it, nothing is logged.
  ///   - path: The file.
  ///   - begins: False if no document is to be begun.
  ///   - read: Reads the file again. Nil if its text is not to be logged now.
  /// - Throws: `ProtocolError`: `openInEditor`, and as `EditLogClient.call`; `CommandError` if the path
  ///   cannot be a document's name.
  func log(
    _ text: String, of path: String, begins: Bool = true, read: () -> String?
  ) async throws -> Outcome {
    let text = UTF16Text(text)
    for attempt in 1... {
      do { return try await log(text, of: path, begins, read) } catch let error as ProtocolError
        where error.code == .sequenceConflict && attempt < Self.attemptCountMax
      {}
    }
    return .same
  }

  private func log(
    _ text: UTF16Text, of path: String, _ begins: Bool, _ read: () -> String?
  ) async throws -> Outcome {
    let known = try await newest(of: path)
    if known?.text == text { return .same }
    guard var text = read().map({ UTF16Text($0) }) else { return .unread }
    // A document of an older version may have a mark.
    if known.map({ !FileForm.isMarked($0.text) }) ?? true { text = FileForm.withoutMark(text) }
    guard let known else {
      guard !text.isEmpty else { return .same }
      guard begins else { return .unbegun }
      let document = try name(of: path)
      let action = EditAction(replacing: UTF16Range(0..<0), with: text)
      try await append([action], to: document, base: 0, .load)
      return .begun
    }
    guard known.text != text else { return .same }
    if FileForm.differs(known.text, text), try await wasInEditor(known.document) {
      if ComparableText(known.text) == ComparableText(text) { return .same }
      text = FileForm.text(text, inFormOf: known.text)
      guard known.text != text else { return .same }
    }
    var actions = TextDifference.replacements(from: known.text, to: text)
    if actions.count > Self.editCountMax {
      let whole = UTF16Range(0..<known.text.count)
      actions = [EditAction(replacing: whole, with: text)]
    }
    try await append(actions, to: known.document, base: known.sequence, .external)
    return .changed(editCount: actions.count)
  }

  private func append(
    _ actions: [EditAction], to document: DocumentID, base: SequenceNumber, _ origin: Origin
  ) async throws {
    _ = try await client.append(
      AppendRequest(
        document: document, base: base, origin: origin, atRest: true, isSaved: true,
        edits: actions.map { AppendEdit(action: $0, transaction: 0) }))
  }

  /// Gives the document of a file that was renamed the file's new name. Returns false, and changes
  /// nothing, if there is no such document, if the file has another one under its new name, or if an
  /// editor has one of them open.
  ///
  /// - Throws: `ProtocolError`, as `EditLogClient.call`; `CommandError` if a path cannot be a document's
  ///   name.
  func rename(_ oldPath: String, to path: String) async throws -> Bool {
    guard try await !isKnown(path) else { return false }
    for document in try names(of: oldPath) {
      do {
        _ = try await client.call(RenameRequest(document, to: try name(of: path)))
        return true
      } catch let error as ProtocolError where error.code == .unknownDocument {
        continue
      } catch let error as ProtocolError
        where error.code == .openInEditor || error.code == .invalidParams
      {
        return false
      }
    }
    return false
  }

  /// The name for a new document of a file.
  private func name(of path: String) throws(CommandError) -> DocumentID {
    guard let name = try names(of: path).first else { throw DocumentArgument.tooLong(path) }
    return name
  }

  /// The names that a file's document may have, the one for a new document first. The file may be gone.
  private func names(of path: String) throws(CommandError) -> ArraySlice<DocumentID> {
    let argument = try DocumentArgument(path) { path in
      watcher.realPath(of: path) ?? DocumentArgument.realPath(path)
        ?? DocumentArgument.realPathOfMissing(path)
    }
    return argument.candidates.prefix(argument.meantCount)
  }

  /// The newest version of a file's document; nil if there is no such document.
  private func newest(
    of path: String
  ) async throws -> (document: DocumentID, sequence: SequenceNumber, text: UTF16Text)? {
    for document in try names(of: path) {
      do {
        var part = try await state(document, .latest)
        var text = part.text
        while let next = part.next {
          part = try await state(document, .sequence(part.sequence), from: next)
          text.append(part.text)
        }
        return (document, part.sequence, text)
      } catch let error as ProtocolError where error.code == .unknownDocument {}
    }
    return nil
  }

  private func state(
    _ document: DocumentID, _ version: PointExpression, from offset: Int = 0
  ) async throws -> StateAnswer {
    let part = VersionPart(at: version, offset: offset, limit: ShowCommand.partLength)
    return try await client.call(StateRequest(HistoryReference(document), part))
  }

  /// True if there is a document of the file at `path`.
  func isKnown(_ path: String) async throws -> Bool {
    for document in try names(of: path) {
      do {
        _ = try await newestEntries(of: document)
        return true
      } catch let error as ProtocolError where error.code == .unknownDocument {}
    }
    return false
  }

  /// True if an editor has or had the document open, as far as the newest 100,000 entries say.
  private func wasInEditor(_ document: DocumentID) async throws -> Bool {
    var part = HistoryPart(limit: HistoryPart.limitMax, newestFirst: true)
    var isNewest = true
    for _ in 0..<Self.partCountMax {
      let request = LogPreviewRequest(HistoryReference(document), part, textMax: 0)
      let answer = try await client.call(request)
      for entry in answer.entries {
        switch entry {
        case .edit(let edit):
          // No event says so until the editor saves or closes it.
          if isNewest, edit.origin != .external, edit.origin != .load { return true }
          isNewest = false
        case .event(let event):
          switch event.kind {
          case .baseline, .closed: return true
          // An editor's bridge counts its messages; the requests of `watch` have no counters.
          case .saved where event.counter > 0: return true
          default: continue
          }
        }
      }
      guard let next = answer.next else { return false }
      part.through = next
    }
    return false
  }

  /// The newest edit, after the events that follow it.
  private func newestEntries(of document: DocumentID) async throws -> [EntryPreview] {
    let part = HistoryPart(limit: 1, newestFirst: true)
    let request = LogPreviewRequest(HistoryReference(document), part, textMax: 0)
    return try await client.call(request).entries
  }
}
