import EditJSON
import EditModel
import EditProtocol
import EditQueries
import HistoryExport

extension ExportCommand {
  /// Writes a history in one of its forms.
  func export(_ format: HistoryFormat, _ session: Session) async throws {
    let bounds = try await bounds(session)
    switch format {
    case .html: try await exportPage(bounds, session)
    case .jsonl: try await exportEntries(bounds, session)
    case .trace: try await exportTrace(bounds, session)
    case .git: try await exportRepository(bounds, session)
    case .asciicast: try await exportRecording(bounds, session)
    case .patch: try await exportPatch(bounds, session)
    case .svg: try await exportActivity(bounds, session)
    }
  }

  /// The versions that `--from` and `--at` name.
  private func bounds(
    _ session: Session
  ) async throws -> (first: SequenceNumber, last: SequenceNumber) {
    let end = try session.point(atOrLatest)
    let last = try await session.ask(name, reading) { VersionRequest($0, at: end) }.sequence
    try await session.noteVersion(of: atOrLatest, last, name, reading)
    guard let from else { return (0, last) }
    let start = try session.point(from)
    let first = try await session.ask(name, reading.afterFirstPart) {
      VersionRequest($0, at: start)
    }.sequence
    guard first <= last else {
      throw CommandError.usage(
        "--from is version \(first), which is after version \(last), the last to write")
    }
    return (first, last)
  }

  /// The name of the document that the argument means.
  func documentName(_ session: Session) -> String { session.documents[name]?.name ?? name }

  /// Prints what was written, if it went to a file.
  func noteWritten(_ edits: Int, _ what: String, _ session: Session) {
    guard let output else { return }
    session.note(
      "Wrote \(Numbers.grouped(edits)) edit\(edits == 1 ? "" : "s") to \(output.shown), \(what).")
  }

  // MARK: Entries

  private func exportEntries(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    var file = try ExportFile(output, session)
    var (count, attachmentCount) = (0, 0)
    try await session.forEachEntry(
      of: name, after: bounds.first, through: bounds.last, reading.afterFirstPart
    ) { entry in
      if case .edit(let edit) = entry {
        count += 1
        attachmentCount += edit.action.attachmentCount
      }
      try file.write(entry.json.serialized() + [0x0A])
    }
    try file.close()
    if bounds.first > 0 {
      session.note(
        "editlog: the history begins at version \(bounds.first), so `import jsonl` does not read this file"
      )
    }
    noteAttachments(attachmentCount, session)
    noteWritten(count, "\(Numbers.grouped(file.size)) bytes", session)
  }

  /// Says that the bytes of attachments are not in the file.
  private func noteAttachments(_ count: Int, _ session: Session) {
    guard count > 0 else { return }
    session.note("editlog: attachments whose bytes are not in the file: \(count)")
  }

  // MARK: The page

  private func exportPage(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    var file = try ExportFile(output, session)
    var attachmentCount = 0
    var history = PlayerHistory(after: bounds.first, hasExactTimes: exactTimes)
    try await session.forEachEntry(of: name, after: 0, through: bounds.last, reading.afterFirstPart)
    {
      if case .edit(let edit) = $0 { attachmentCount += edit.action.attachmentCount }
      try history.add($0)
    }
    try await session.forEachTrace(of: name, reading.afterFirstPart) { traces in
      for trace in traces where trace.sequence <= bounds.last {
        history.addCost(
          of: trace.sequence, units: trace.units, paragraphs: trace.paragraphs, total: trace.total,
          linear: trace.linear, live: trace.live?.total)
      }
    }
    let document = documentName(session)
    let data = try history.packed(document: document)
    try file.write(PlayerPage.html(title: document, data: data))
    try file.close()
    noteAttachments(attachmentCount, session)
    noteWritten(
      history.count, "\(Numbers.grouped(file.size)) bytes; open it in a browser", session)
  }
}

extension EditAction {
  /// The number of attachments that the action inserts. O(attribute runs).
  fileprivate var attachmentCount: Int {
    guard replacement?.isEmpty == false else { return 0 }
    switch attributes {
    case .set(let runs), .merge(let runs):
      return runs.count { $0.attributes[Attachment.attribute] != nil }
    case .inherit, .remove: return 0
    }
  }
}
