import EditModel
import EditProtocol
import EditQueries

extension Session {
  /// Calls `body` with the entries of a history after an edit, through another one, in order.
  ///
  /// - Throws: `ProtocolError`, or what `body` throws.
  func forEachEntry(
    of name: String, after: SequenceNumber, through last: SequenceNumber,
    _ reading: ReadingOptions, _ body: (HistoryEntry) async throws -> Void
  ) async throws {
    var (next, options): (SequenceNumber?, ReadingOptions) = (after, reading)
    while let start = next {
      let answer = try await ask(name, options) {
        LogRequest($0, HistoryPart(after: start, through: last, limit: HistoryPart.limitMax))
      }
      for entry in answer.entries { try await body(entry) }
      (next, options) = (answer.next, reading.afterFirstPart)
    }
  }
}
