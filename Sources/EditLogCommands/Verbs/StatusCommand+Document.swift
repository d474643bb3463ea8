import EditModel
import EditProtocol

// `status NAME`: the state of one document.
extension StatusCommand {
  /// Prints the state of a document.
  func showDocument(_ name: String, _ session: Session) async throws {
    let status = try await session.ask(name, reading) { DocumentStatusRequest($0) }
    if common.json { return try session.printJSON(status, DocumentStatusAnswer.codec) }
    var table = session.table(
      [.init(isRight: true), .init(isWrapped: true)], hasHeader: false)
    for (label, value) in Self.rows(status, session) {
      table.append([.init(label + ":", .header), .init(value)])
    }
    try session.output.write(table.takeLines())
  }

  private static func rows(
    _ status: DocumentStatusAnswer, _ session: Session
  ) -> [(String, String)] {
    var rows = [("version", Numbers.grouped(status.sequence))]
    if let time = status.time { rows.append(("time", session.localTime(time))) }
    if let isOpen = status.isOpen { rows.append(("open in an editor", isOpen ? "yes" : "no")) }
    return rows + [
      ("undo", status.undoableStep.map { "takes back step \($0)" } ?? "nothing to undo"),
      ("redo", status.redoableStep.map { "brings back step \($0)" } ?? "nothing to redo"),
    ]
  }
}
