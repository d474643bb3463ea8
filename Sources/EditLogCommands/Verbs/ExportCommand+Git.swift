import EditModel
import EditProtocol

extension ExportCommand {
  /// Makes a repository with the history's commits.
  func exportRepository(
    _ bounds: (first: SequenceNumber, last: SequenceNumber), _ session: Session
  ) async throws {
    guard let output else { return }
    let unit = per ?? .save
    var ends: Set<SequenceNumber> = []
    if unit == .step {
      let steps = try await session.ask(name, reading.afterFirstPart) { UndoStepsRequest($0) }.steps
      ends = Set(steps.map(\.last))
    }
    let start = try await session.state(of: name, at: bounds.first, reading)
    var stream = CommitStream(from: start)
    var (cuts, imported) = (CommitCuts(unit, stepEnds: ends), ImportedCommits())
    let repository = try await GitRepository(at: output)
    try await repository.fill(GitPath(document: documentName(session))) { write in
      var version = bounds.first
      try await session.forEachEntry(
        of: name, after: bounds.first, through: bounds.last, reading.afterFirstPart
      ) { entry in
        if case .event(let event) = entry {
          imported.add(event)
        } else {
          // The commits that `import git` found are kept, whatever the unit.
          for commit in imported.take() { try await write(stream.commit(commit)) }
        }
        if cuts.cuts(before: entry), let commit = stream.commit(version, unit.rawValue) {
          try await write(commit)
        }
        guard case .edit(let edit) = entry else { return }
        try stream.add(edit)
        version = edit.sequence
      }
      for commit in imported.take() { try await write(stream.commit(commit)) }
      if let commit = stream.commit(version, unit == .save ? "not saved" : unit.rawValue) {
        try await write(commit)
      }
    }
    if stream.hasLoneSurrogates {
      session.note("editlog: halves of surrogate pairs are U+FFFD in the files")
    }
    session.note(
      "Wrote \(Numbers.grouped(stream.count)) commit\(stream.count == 1 ? "" : "s") to \(output.shown)."
    )
  }
}
