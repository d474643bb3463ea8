import EditModel
import EditProtocol
import EditQueries
import EditorSync

// A file with an older text of the history: an earlier change was not written to the file.
extension FileChange {
  /// The entries of the history that are read back from its end, and the versions whose texts are compared, at most.
  private static let (entryCountMax, versionCountMax) = (10_000, 64)

  /// The text of the file, if it is the newest one or that of a version before it at which something happened: a
  /// program began to change the document, an editor closed or saved it, an undo. Nil if it is none of these: it may
  /// have been made by a program that was not logged.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - newest: The text of the newest version.
  ///   - version: The number of the newest version.
  func knownText(
    of file: DocumentFile, newest: UTF16Text, _ version: SequenceNumber
  ) async throws -> UTF16Text? {
    guard let bytes = FileText.bytes(atPath: file.path) else { return nil }
    if FileForm(bytes, of: newest) != nil { return newest }
    for sequence in try await versionsWithEvents(before: version) {
      let text = try await text(of: sequence)
      if FileForm(bytes, of: text) != nil { return text }
    }
    return nil
  }

  /// The versions before another one at which events were logged, the newest first.
  private func versionsWithEvents(
    before version: SequenceNumber
  ) async throws -> [SequenceNumber] {
    var (found, count): ([SequenceNumber], Int) = ([], 0)
    var part = HistoryPart(through: version, newestFirst: true)
    while count < Self.entryCountMax, found.count < Self.versionCountMax {
      let answer = try await session.ask(name, reading.afterFirstPart) { [part] in
        LogPreviewRequest($0, part, textMax: 0)
      }
      count += answer.entries.count
      for case .event(let event) in answer.entries
      where event.after > 0 && event.after < version && event.after != found.last {
        found.append(event.after)
      }
      guard let next = answer.next else { break }
      part.through = next
    }
    return Array(found.prefix(Self.versionCountMax))
  }

  /// Writes the newest version to the file, and logs the save. Returns the version, and the file if its text
  /// changed.
  ///
  /// - Parameter isDryRun: True to change nothing, and to return what would be done.
  /// - Throws: `ProtocolError`, `CommandError`: as `perform`.
  func writeNewest(isDryRun: Bool) async throws -> (sequence: SequenceNumber, file: DocumentFile?) {
    let status = try await session.ask(name, reading) { DocumentStatusRequest($0) }
    let target = try await target(
      whenOpen: "it has the newest text, and writes the file when you save there")
    let newest = try await text(of: status.sequence)
    let known =
      try await target.isMissing
      ? newest : knownText(of: target.file, newest: newest, status.sequence) ?? newest
    if isDryRun { try check(target, known, newest) }
    guard target.isMissing || known != newest else {
      try check(target, known, newest)
      return (status.sequence, nil)
    }
    guard !isDryRun else { return (status.sequence, target.file) }
    let replacement = try target.replacement(of: known, by: newest)
    try replacement.finish()
    try await noteSave(of: status.sequence, on: session)
    return (status.sequence, target.file)
  }

  /// What a change would do to the file.
  enum PlannedWriting {
    case written(DocumentFile)
    /// It has the text already.
    case same
    /// The change would be refused, for this reason.
    case refused(String)

    /// The file, if it would be written.
    var file: DocumentFile? { if case .written(let file) = self { file } else { nil } }
  }

  /// Finds out whether a change against version `base` could write the file; nothing is changed. An editor that has the
  /// document open is no error here: what would change can be shown.
  ///
  /// - Throws: `ProtocolError`, `CommandError`: otherwise as `perform`.
  func checkWriting(
    _ edits: [AppendEdit], to base: SequenceNumber
  ) async throws -> PlannedWriting {
    let target: Target
    do { target = try await self.target(whenOpen: Self.withoutWriting) } catch let error
      as ProtocolError where error.code == .openInEditor
    { return .refused(error.message) }
    let old = try await text(of: base)
    let new = try Self.text(old, after: edits)
    let known =
      try await target.isMissing ? old : knownText(of: target.file, newest: old, base) ?? old
    try check(target, known, new)
    return target.isMissing || known != new ? .written(target.file) : .same
  }

  /// Notes what writing the file would do.
  func note(_ writing: PlannedWriting) {
    let line =
      switch writing {
      case .written(let file): "The file \(file.argument.shown) would be written."
      case .same: "The file has this text already."
      case .refused(let reason): "Nothing would be changed, and the file not written: \(reason)."
      }
    session.note(line)
  }

  private func check(
    _ target: Target, _ known: UTF16Text, _ new: UTF16Text
  ) throws(CommandError) {
    guard !target.isMissing else {
      _ = try FileForm.newFile(new)
      return
    }
    let path = target.file.path
    guard let bytes = FileText.bytes(atPath: path) else { throw .io("cannot read \(path.shown)") }
    guard let form = FileForm(bytes, of: known) else {
      throw .data("\(FileReplacement.otherText(path, bytes)); nothing was changed")
    }
    _ = try form.bytes(of: new, at: path)
  }
}
