import EditLog
package import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension UndoStepsRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> UndoStepsAnswer {
    let history = try engine.undoHistory(replay).history
    var path: Set<Int> = []
    var at: Int? = history.current
    while let number = at {
      path.insert(number)
      at = history[number]?.parent
    }
    return UndoStepsAnswer(
      steps: history.steps.map { step in
        ShownUndoStep(
          step: step.number, parent: step.parent ?? 0, first: step.sequences.lowerBound,
          last: step.sequences.upperBound, editCount: step.editCount,
          inserted: step.insertedUnits, deleted: step.deletedUnits,
          isCurrent: step.number == history.current, isUndone: !path.contains(step.number),
          origin: step.origin, author: step.author, time: step.firstTime)
      })
  }
}

extension UndoPlanRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> UndoPlanAnswer {
    let plan = try engine.undoPlan(replay)
    return UndoPlanAnswer(
      step: plan.step, base: plan.base,
      edits: plan.actions.map { AppendEdit(action: $0, origin: .undo) })
  }
}

extension UndoRequest {
  /// The edits that take back the current undo step, as one transaction against the newest version.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; as for
  ///   `UndoPlanRequest`.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (step: Int, request: AppendRequest) {
    let engine = engine.begun()
    do throws(ProtocolError) {
      let replay = try await engine.replay(history)
      let latest = replay.history.lastSequence
      if let base, base != latest {
        throw ProtocolError.sequenceConflict(
          document: history.document, base: base, latest: latest)
      }
      let plan = try engine.undoPlan(replay)
      let edits = plan.actions.map { AppendEdit(action: $0, transaction: 0) }
      return (
        plan.step,
        AppendRequest(
          document: history.document, base: plan.base, author: author, origin: .undo,
          atRest: atRest, edits: edits)
      )
    } catch { throw error.about(history.document) }
  }
}

extension RedoRequest {
  /// The edits of the step that a redo brings back, as one transaction against the newest version.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` if there is nothing to redo, or if the newest text
  ///   or its attributes differ from those before the step.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (step: Int, request: AppendRequest) {
    let engine = engine.begun()
    do throws(ProtocolError) {
      let replay = try await engine.replay(history)
      let (undo, last) = try engine.undoHistory(replay)
      let name = history.document.shown
      guard let step = undo.redoable else {
        throw ProtocolError(.unknownPoint, "there is nothing to redo in \(name)")
      }
      var edits: [AppendEdit] = []
      do {
        let before = try engine.version(step.sequences.lowerBound - 1, replay)
        let newest = try engine.version(last, replay)
        guard before.text == newest.text, before.attributeRuns == newest.attributeRuns else {
          throw ProtocolError(
            .unknownPoint,
            "\(name) differs from its version before step \(step.number); nothing was redone")
        }
        try replay.history.forEachEntry(
          after: before.sequence, through: step.sequences.upperBound
        ) { entry in
          guard case .edit(let edit) = entry else { return }
          edits.append(AppendEdit(action: edit.action, transaction: 0))
        }
      } catch { throw ProtocolError(reading: error, of: replay.history) }
      return (
        step.number,
        AppendRequest(
          document: history.document, base: last, author: author, origin: .redo, atRest: atRest,
          edits: edits)
      )
    } catch { throw error.about(history.document) }
  }
}

extension MarkRequest {
  /// The version that gets the label.
  ///
  /// - Throws: `ProtocolError` if there is no such document or version.
  package func sequence(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> SequenceNumber {
    do throws(ProtocolError) {
      let replay = Replay(try await engine.history(of: document))
      let point = try engine.point(at, "at")
      do { return try replay.sequence(of: point) } catch {
        throw ProtocolError(error, of: replay.history)
      }
    } catch { throw error.about(document) }
  }
}

extension QueryEngine {
  /// The actions that take back the current undo step, at least one. They apply to the newest
  /// version, `base`.
  fileprivate func undoPlan(
    _ replay: Replay
  ) throws(ProtocolError) -> (step: Int, base: SequenceNumber, actions: [EditAction]) {
    let (undo, last) = try undoHistory(replay)
    guard let step = undo.undoable else {
      throw ProtocolError(
        .unknownPoint, "there is nothing to undo in \(replay.history.document.shown)")
    }
    do {
      let before = try version(step.sequences.lowerBound - 1, replay)
      var edits: [Edit] = []
      try replay.history.forEachEntry(
        after: before.sequence, through: step.sequences.upperBound
      ) { if case .edit(let edit) = $0 { edits.append(edit) } }
      var actions = try UndoHistory.inverseActions(of: step, from: before, edits: edits)
      // A step that changed nothing is taken back by an edit that changes nothing. Without an edit,
      // the step would stay the current one.
      if actions.isEmpty {
        actions = [EditAction(replacing: UTF16Range(0..<0), with: UTF16Text())]
      }
      return (step.number, last, actions)
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }

  fileprivate func undoHistory(
    _ replay: Replay
  ) throws(ProtocolError) -> (history: UndoHistory, last: SequenceNumber) {
    let runner = try fold(replay, [UndoHistory()])
    guard let history = runner[UndoHistory.self] else {
      throw ProtocolError(.internalError, "the undo history was not folded")
    }
    return (history, runner.state.sequence)
  }

  /// Folds a history into projections: from the version `state`, or from the newest stored states of
  /// the projections; up to the version `last`, or until `isDone`. `share` is the part of the work on the
  /// answer that this is.
  func fold(
    _ replay: Replay, from state: TextState? = nil, _ projections: [any Projection],
    through last: SequenceNumber? = nil, share: ClosedRange<Double> = 0...1,
    until isDone: (ProjectionRunner) -> Bool = { _ in false }
  ) throws(ProtocolError) -> ProjectionRunner {
    let last = last ?? replay.history.lastSequence
    let first = min(state?.sequence ?? 0, last)
    var progress = FoldProgress(work, first...last, share: share)
    do {
      return try replay.fold(
        projections, from: state, through: last, pass: { try progress.note($0) }, until: isDone)
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }
}
