import EditJSON
import EditModel
import EditProtocol
import Interchange
import TextState

extension ExportCommand {
  /// Writes a keystroke trace.
  func exportTrace(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    var patches = TracePatches(from: try await session.state(of: name, at: bounds.first, reading))
    var file = try ExportFile(output, session)
    let start = JSON(patches.state.text).serialized()
    try file.write(Array(#"{"startContent":"#.utf8) + start + Array(#","txns":["#.utf8))
    var isFirst = true
    func write(_ transaction: [UInt8]?, to file: inout ExportFile) throws {
      guard let transaction else { return }
      try file.write(Array((isFirst ? "\n" : ",\n").utf8) + transaction)
      isFirst = false
    }
    try await session.forEachEntry(
      of: name, after: bounds.first, through: bounds.last, reading.afterFirstPart
    ) { entry in
      guard case .edit(let edit) = entry else { return }
      try write(try patches.add(edit), to: &file)
    }
    try write(patches.finish(), to: &file)
    let end = JSON(patches.state.text).serialized()
    try file.write(Array("\n],\"endContent\":".utf8) + end + Array("}\n".utf8))
    try file.close()
    if patches.skippedCount > 0 {
      session.note(
        "editlog: left out: \(Numbers.grouped(patches.skippedCount)) edits of attributes")
    }
    session.note("editlog: left out: authors, origins, marks, saves and other events")
    noteWritten(patches.count, "\(Numbers.grouped(file.size)) bytes", session)
  }
}

extension Session {
  /// A version with its text, without attributes.
  ///
  /// - Throws: `ProtocolError`.
  func state(
    of name: String, at version: SequenceNumber, _ reading: ReadingOptions
  ) async throws -> TextState {
    guard version > 0 else { return TextState() }
    let text = try await attributedText(of: name, at: .sequence(version), reading.afterFirstPart)
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text.text.text))
    return state
  }
}
