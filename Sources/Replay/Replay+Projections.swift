import EditLog
public import EditModel
public import Projections
package import TextState

extension Replay {
  /// Folds the history into projections, up to the version `last` and the events that follow it.
  ///
  /// Where the states of all these projections are stored, the fold resumes from the newest stored
  /// ones that are not after `last`, else it starts from the empty document. If links are checked,
  /// nothing stored is used.
  ///
  /// - Parameters:
  ///   - projections: The projections, which have seen no edit.
  ///   - last: A version; nil for the newest.
  /// - Returns: A runner at that version. `runner[P.self]` is the projection of type `P`.
  /// - Throws: `ReplayError` if the history ends before `last`, or cannot be read or replayed; if it
  ///   is verified, also if a link does not hold.
  /// - Complexity: O(entries after the stored states, and the work of the projections for them).
  public func project(
    _ projections: [any Projection], through last: SequenceNumber? = nil
  ) throws(ReplayError) -> ProjectionRunner {
    let last = try sequence(of: last.map { .sequence($0) } ?? .latest)
    do { return try fold(projections, through: last) } catch {
      throw ReplayError(reading: error)
    }
  }

  /// Folds the history into projections: from the version `start`, or as `project`. It ends when
  /// `isDone` returns true, which is called after each entry. `pass` as in `sequence(of:pass:)`: it is
  /// called after each entry too.
  ///
  /// - Throws: `ReplayError`, `LogError` or `ProjectionError`; what `isDone` or `pass` throws.
  package func fold(
    _ projections: [any Projection], from start: TextState? = nil, through last: SequenceNumber,
    pass: Pass = { _ in }, until isDone: (ProjectionRunner) throws -> Bool = { _ in false }
  ) throws -> ProjectionRunner {
    struct Done: Error {}
    try check(after: start?.sequence ?? 0, through: last, pass: pass)
    var runner = ProjectionRunner(from: start ?? TextState(), projections)
    do {
      func apply(_ entry: consuming HistoryEntry) throws {
        try runner.apply(entry)
        try pass(runner.state.sequence)
        if try isDone(runner) { throw Done() }
      }
      if start == nil, let resumed = resumed(projections, notAfter: last) {
        runner = resumed
        for event in try history.events(after: resumed.state.sequence) {
          try apply(.event(event))
        }
      }
      let after = runner.state.sequence
      if after < last || after == 0 && last > 0 {
        try history.forEachEntry(after: after, through: last) { try apply($0) }
      }
    } catch is Done {
      return runner
    }
    guard runner.state.sequence == last else {
      throw ReplayError.gap(after: runner.state.sequence, expected: last)
    }
    return runner
  }

  /// A runner at the newest version up to `last` at which all these projections are stored; nil if
  /// there is none. The events after that version's edit are not applied.
  func resumed(
    _ projections: [any Projection], notAfter last: SequenceNumber
  ) -> ProjectionRunner? {
    guard !isVerified, !projections.isEmpty,
      projections.allSatisfy({ $0 is any StoredProjection })
    else { return nil }
    var bound = last
    while let found = try? history.checkpoint(atOrBefore: bound, of: .projections) {
      if let stored = try? StoredProjections(found.bytes), stored.sequence == found.sequence,
        !stored.isEmpty
      {
        // All that are stored of a document are of the same projections.
        guard let projections = stored.states(like: projections) else { return nil }
        if let state = try? state(at: .sequence(found.sequence)),
          projections.allSatisfy({ ($0 as? any StoredProjection)?.fits(state) == true })
        {
          return ProjectionRunner(from: state, projections)
        }
      }
      guard found.sequence > 1 else { return nil }
      bound = found.sequence - 1
    }
    return nil
  }
}
