import EditJSON
import EditModel
import EditProtocol
import EditQueries

/// What `bisect` found.
struct BisectResult: Sendable {
  let search: Bisection
  let tries: BisectTries
  /// True if `search.bad` is the first bad version; false if versions before it were skipped.
  let isFound: Bool

  /// The edits that lead from the good version to the bad one.
  var edits: ClosedRange<SequenceNumber> { search.good + 1...search.bad }
}

extension BisectCommand {
  /// The maximum number of lines of edits that are printed.
  private static let lineCountMax = 10

  /// Prints the edit, or the edits of a step, and what to do next.
  func print(_ result: BisectResult, _ session: Session) async throws {
    let edits = result.edits
    if common.json { return try await printJSON(result, session) }
    if result.isFound, edits.count == 1 {
      try await printEdit(edits.upperBound, result, session)
    } else {
      let head =
        result.isFound
        ? "edits \(edits.lowerBound) to \(edits.upperBound) made the first version for which the command fails"
        : "the command first fails after one of the edits \(edits.lowerBound) to \(edits.upperBound); "
          + "\(counted(result.search.skipped.count, "version")) between were skipped"
      try session.output.writeLine(session.style.paint(head, .header))
      try await printEdits(edits, session)
      try session.output.writeLine("  \(tried(result))")
    }
    try printNext(result, session)
  }

  private func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(Numbers.grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  private func tried(_ result: BisectResult) -> String {
    "\(counted(result.tries.all.count, "version")) tried, "
      + "\(Numbers.grouped(result.tries.skippedCount)) skipped"
  }

  private func preview(
    of part: HistoryPart, textMax: Int, _ session: Session
  ) async throws -> LogPreviewAnswer {
    try await session.ask(name, reading.afterFirstPart) {
      LogPreviewRequest($0, part, textMax: textMax)
    }
  }

  private func printEdit(
    _ sequence: SequenceNumber, _ result: BisectResult, _ session: Session
  ) async throws {
    let part = HistoryPart(after: sequence - 1, through: sequence, limit: 1)
    let answer = try await preview(of: part, textMax: EditRun.textMax, session)
    var lines = FactLines(session)
    lines.title("edit \(sequence) is the first after which the command fails")
    for case .edit(let edit) in answer.entries {
      lines.add("time", session.localTime(edit.time))
      lines.add("author", edit.author.map(\.shown) ?? "unknown")
      lines.add("origin", edit.origin.name)
      lines.add("range", "\(edit.range)")
      if edit.removedLength > 0 {
        let removed = CutText(edit.removed?.units ?? [], count: edit.removedLength)
        lines.add("removed") { removed.quoted(width: $0) }
      }
      if edit.insertedLength > 0 {
        let inserted = CutText(edit.text?.units ?? [], count: edit.insertedLength)
        lines.add("inserted") { inserted.quoted(width: $0) }
      }
      if let change = edit.attributeChange {
        let names = edit.attributeNames.map(\.shown).joined(separator: ", ")
        lines.add("attributes", "\(change.rawValue) \(names)")
      }
    }
    lines.add("runs", tried(result))
    try session.output.write(lines.text)
  }

  /// Prints the first of some edits, as `log` does.
  private func printEdits(_ edits: ClosedRange<SequenceNumber>, _ session: Session) async throws {
    let limit = min(edits.count, HistoryPart.limitStandard)
    let answer = try await preview(
      of: HistoryPart(after: edits.lowerBound - 1, through: edits.upperBound, limit: limit),
      textMax: EditRun.textMax, session)
    var builder = EditRunBuilder(isSingle: false, newestFirst: false)
    var rows = answer.entries.flatMap { builder.append($0) }
    rows += builder.finish()
    var table = LogTable(session, isVerbose: false, isSingle: false)
    for row in rows.prefix(Self.lineCountMax) { table.append(row) }
    try session.output.write(table.takeLines())
    if rows.count > Self.lineCountMax || answer.next != nil {
      try session.output.writeLine("  …")
    }
  }

  private func printNext(_ result: BisectResult, _ session: Session) throws {
    let (good, bad) = (result.search.good, result.search.bad)
    let document = session.documents[name]?.argument.shown ?? name.shown
    var next = ["editlog diff \(document) --from \(good) --to \(bad)"]
    if bad - good == 1 {
      next.append("editlog undo \(document) --since \(bad) --until \(bad) --dry-run")
    } else if result.isFound {
      let words = command.map(\.shellWord).joined(separator: " ")
      next.append("editlog bisect \(document) --from \(good) --to \(bad) -- \(words)")
    } else {
      next.append("editlog log \(document) --since \(good + 1) --until \(bad) --edits")
    }
    try session.output.writeLine("\nNext:")
    for line in next { try session.output.writeLine("  " + Excerpt.line(line, width: nil)) }
  }

  private func printJSON(_ result: BisectResult, _ session: Session) async throws {
    let (good, bad) = (result.search.good, result.search.bad)
    var report = BisectReport(document: session.documents[name], result)
    if result.isFound {
      let answer = try await preview(
        of: HistoryPart(after: bad - 1, through: bad, limit: 1),
        textMax: LogPreviewRequest.textMaxLimit, session)
      for case .edit(var edit) in answer.entries {
        edit.isContinuation = false
        // Of a step of several edits, the last one alone does not tell what changed.
        if good + 1 == bad {
          report.edit = edit
        } else {
          (report.sequence, report.time) = (edit.sequence, edit.time)
        }
      }
    }
    try session.printJSON(report, BisectReport.codec)
  }
}
