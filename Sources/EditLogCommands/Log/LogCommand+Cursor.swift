import EditModel
import EditProtocol

// `--cursor`, `--after-cursor` and `--show-cursor` of `log`.
extension LogCommand {
  /// The place after which entries are printed; nil without a cursor.
  ///
  /// - Throws: `CommandError` (66) if the cursor is of another history.
  func startPosition(in session: Session) async throws -> HistoryPosition? {
    guard let cursor = (afterCursor ?? cursor).flatMap({ LogCursor($0) }) else { return nil }
    let after = cursor.position.after
    // An event at 0 is before the first edit. Events after the edit before are before this one.
    let from = after == 0 ? 0 : after - 1
    let start = HistoryPosition(after: from, events: after == 0 ? 0 : .max)
    let page = try await session.ask(name, reading) {
      LogRequest($0, HistoryPart(after: from, through: after, limit: 1))
    }
    var (reader, before) = (CursorReader(after: from, start: nil), start)
    for entry in page.entries {
      _ = reader.read([entry])
      guard reader.newest != cursor else {
        return afterCursor == nil ? before : cursor.position
      }
      before = reader.newest?.position ?? before
    }
    throw CommandError.notFound(
      """
      the cursor is of another history: \(name.shown) has no such entry; without the cursor, `log` prints \
      all
      """)
  }

  /// Prints the place after the newest entry that was read, for `--after-cursor`.
  func printCursor(_ cursor: LogCursor?, _ session: Session) throws {
    // If there is nothing new, the old cursor is still the place to go on from.
    guard showCursor, let cursor = cursor ?? self.afterCursor.flatMap({ LogCursor($0) }) else {
      return
    }
    if isJSON { return try session.printJSON(cursor, LogCursor.codec) }
    try session.output.writeLine("-- cursor: \(cursor.text)")
  }
}
