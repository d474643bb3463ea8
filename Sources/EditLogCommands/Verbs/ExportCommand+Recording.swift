import EditModel
import EditProtocol

extension ExportCommand {
  /// Writes a recording of a terminal.
  func exportRecording(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    let start = try await session.state(of: name, at: bounds.first, reading)
    var recording = TerminalRecording(document: documentName(session), from: start)
    var file = try ExportFile(output, session)
    try await session.forEachEntry(
      of: name, after: bounds.first, through: bounds.last, reading.afterFirstPart
    ) { entry in
      guard case .edit(let edit) = entry else { return }
      if recording.count == 0 { try file.write(recording.header(edit.time)) }
      if let frame = try recording.add(edit) { try file.write(frame) }
    }
    if recording.count == 0 { try file.write(recording.header(nil)) }
    if let frame = recording.finish() { try file.write(frame) }
    try file.close()
    if recording.hasLoneSurrogates {
      session.note("editlog: halves of surrogate pairs are U+FFFD in the recording")
    }
    let joined = recording.count - recording.frameCount
    if joined > 0 {
      session.note(
        """
        editlog: \(Numbers.grouped(joined)) edit\(joined == 1 ? " is" : "s are") shown with the next one, \
        because less than a thirtieth of a second is between them
        """)
    }
    noteWritten(
      recording.count, "\(Numbers.grouped(file.size)) bytes; `asciinema play` shows it", session)
  }
}
