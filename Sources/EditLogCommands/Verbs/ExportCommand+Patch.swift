import EditModel
import EditProtocol

extension ExportCommand {
  /// Writes what differs between two versions, for `patch -p1` and `git apply`.
  func exportPatch(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    var file = try ExportFile(output, session)
    let path = GitPath(
      document: documentName(session), in: DocumentArgument.workingDirectory)
    var part: DiffAnswer?
    var (next, lineCount): (Int?, Int) = (0, 0)
    var hasLoneSurrogates = false
    while let number = next {
      let answer = try await session.ask(name, reading.afterFirstPart) {
        DiffRequest(
          $0, from: .sequence(bounds.first), to: .sequence(bounds.last), context: 3, part: number)
      }
      var unified = String(answer.unified)[...]
      hasLoneSurrogates = hasLoneSurrogates || !unified.utf16.elementsEqual(answer.unified.units)
      if number == 0, !unified.isEmpty {
        // The lines with the names of the versions are not paths.
        for _ in 0..<2 {
          let end = unified.utf8.firstIndex(of: 0x0A) ?? unified.endIndex
          unified = unified[end...].dropFirst()
        }
        // An old text that is empty is no file yet, and a new one stays as an empty file.
        let isNew = bounds.first == 0
        try file.write(
          Array(
            """
            diff --git \(path.quoted(prefix: "a/")) \(path.quoted(prefix: "b/"))
            \(isNew ? "new file mode 100644\n--- /dev/null" : "--- " + path.header(prefix: "a/"))
            +++ \(path.header(prefix: "b/"))

            """.utf8))
      }
      lineCount += unified.utf8.count { $0 == 0x0A }
      try file.write(Array(unified.utf8))
      (part, next) = (answer, answer.next)
    }
    try file.close()
    if let part, !part.attributeChanges.isEmpty {
      session.note("editlog: left out: attributes, which differ too")
    }
    if hasLoneSurrogates {
      session.note("editlog: halves of surrogate pairs are U+FFFD in the patch")
    }
    guard let output else { return }
    session.note(
      """
      Wrote what differs between versions \(bounds.first) and \(bounds.last) to \(output.shown), \
      \(Numbers.grouped(lineCount)) lines.
      """)
  }

  /// Writes a picture of when the document was worked on.
  func exportActivity(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    var file = try ExportFile(output, session)
    let answer = try await session.ask(name, reading.afterFirstPart) {
      ActivityRequest($0, after: bounds.first, through: bounds.last)
    }
    var report = ActivityReport()
    let title = (session.documents[name]?.argument ?? name).shown
    report.add(answer, of: title, session)
    try file.write(Array(ActivityPicture(report, title: title, dayCountMax: .max).svg.utf8))
    try file.close()
    noteWritten(answer.total.edits, "a picture", session)
  }
}
