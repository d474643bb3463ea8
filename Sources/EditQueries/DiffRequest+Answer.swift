import EditModel
package import EditProtocol
package import Replay
import TextState

extension DiffRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> DiffAnswer {
    let old = try await engine.state(at: from, "from", replay)
    let new = try await engine.state(at: to, "to", replay)
    let hunks = TextDifference.lineHunks(from: old.text, to: new.text, context: context)
    var unified = ""
    if !hunks.isEmpty {
      // Quoted as git does: a name must not end the header, or begin one.
      let (older, newer) = (
        "\(history.document)@\(old.sequence)", "\(history.document)@\(new.sequence)"
      )
      unified = "--- \(older.shown)\n+++ \(newer.shown)\n"
      for hunk in hunks { unified += hunk.description }
    }
    return DiffAnswer(
      from: old.sequence, to: new.sequence, hunks: hunks.map(DiffHunk.init),
      unified: UTF16Text(unified), attributeChanges: Self.attributeChanges(from: old, to: new),
      fromTime: try replay.history.time(of: old.sequence),
      toTime: try replay.history.time(of: new.sequence))
  }

  /// The ranges of the newer text that the older one has with other attributes.
  private static func attributeChanges(
    from old: TextState, to new: TextState
  ) -> [UTF16Range] {
    let isPlain = [old, new].allSatisfy { $0.attributeRuns.allSatisfy(\.attributes.isEmpty) }
    return isPlain ? [] : new.difference(from: old).attributeChanges
  }
}

extension DiffHunk {
  fileprivate init(_ hunk: LineHunk) {
    func first(_ lines: Range<Int>) -> Int {
      lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
    }
    self.init(
      fromLine: first(hunk.oldLines), fromCount: hunk.oldLines.count,
      toLine: first(hunk.newLines), toCount: hunk.newLines.count,
      lines: hunk.lines.map { line in
        var units = Array(String(line.kind.rawValue).utf16)
        units += line.text.units.last == 0x0A ? line.text.units.dropLast() : line.text.units[...]
        return UTF16Text(units: units)
      })
  }
}
