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
    let tree = try engine.undoTree(replay).tree
    let path = Set(tree.path.map(\.number))
    return UndoStepsAnswer(
      steps: tree.steps.map { step in
        ShownUndoStep(
          step: step.number, parent: step.parent ?? 0, first: step.sequences.lowerBound,
          last: step.sequences.upperBound, editCount: step.editCount,
          inserted: step.insertedUnits, deleted: step.deletedUnits,
          isCurrent: step.number == tree.current, isUndone: !path.contains(step.number),
          origin: step.origin, author: step.author, time: step.firstTime)
      })
  }
}

extension UndoPlanRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> UndoPlanAnswer {
    let plan = try engine.plan(replay) { (tree) throws(ProtocolError) in
      try tree.undoMove(replay.history.document, to: target)
    }
    return UndoPlanAnswer(
      step: plan.step, base: plan.base,
      edits: plan.actions.map { AppendEdit(action: $0, origin: .undo) })
  }
}

extension UndoRequest {
  /// The edits that take back the current undo step, or lead to another one, as one transaction against
  /// the newest version.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; as for
  ///   `UndoPlanRequest`.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (step: Int, request: AppendRequest) {
    try await engine.request(history, base: base, .undo, author, atRest) {
      (tree) throws(ProtocolError) in try tree.undoMove(history.document, to: target)
    }
  }
}

extension RedoRequest {
  /// The edits that bring back the step that a redo leads to, as one transaction against the newest
  /// version.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` if there is nothing to redo; `sequenceConflict` if the
  ///   document is not at `base`.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (step: Int, request: AppendRequest) {
    try await engine.request(history, base: base, .redo, author, atRest) {
      (tree) throws(ProtocolError) in
      guard let step = tree.redoable else {
        throw ProtocolError(.unknownPoint, "there is nothing to redo in \(history.document.shown)")
      }
      return UndoMove(shown: step.number, target: step.number)
    }
  }
}

/// A way along the undo tree.
struct UndoMove {
  /// The step that the answer names.
  var shown: Int
  /// The step that it leads to.
  var target: Int
}

extension UndoTree {
  /// The way to a step, or that takes back the current step.
  fileprivate func undoMove(
    _ document: DocumentID, to target: Int?
  ) throws(ProtocolError) -> UndoMove {
    if let target {
      guard self[target] != nil else {
        throw ProtocolError(
          .unknownPoint,
          """
          there is no undo step \(target) in \(document.shown); its steps are 1 to \(steps.count), and \
          0 is the start (`editlog undo --list`)
          """)
      }
      guard target != current else {
        throw ProtocolError(.unknownPoint, "\(document.shown) is at undo step \(target) already")
      }
      return UndoMove(shown: target, target: target)
    }
    guard let step = undoable, let parent = step.parent else {
      throw ProtocolError(.unknownPoint, "there is nothing to undo in \(document.shown)")
    }
    return UndoMove(shown: step.number, target: parent)
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

/// What moves along an undo tree.
private struct UndoPlan {
  var step: Int
  var base: SequenceNumber
  var change: UndoneChange
  /// The version whose text the actions make.
  var target: SequenceNumber
  var actions: [EditAction]
}

extension QueryEngine {
  /// The request that moves along the undo tree of a document, as one transaction against the newest
  /// version.
  fileprivate func request(
    _ reference: HistoryReference, base: SequenceNumber?, _ origin: Origin, _ author: String?,
    _ atRest: Bool, _ move: (UndoTree) throws(ProtocolError) -> UndoMove
  ) async throws(ProtocolError) -> (step: Int, request: AppendRequest) {
    do throws(ProtocolError) {
      let replay = try await replay(reference)
      let latest = replay.history.lastSequence
      if let base, base != latest {
        throw ProtocolError.sequenceConflict(
          document: reference.document, base: base, latest: latest)
      }
      let plan = try plan(replay, move)
      var request = AppendRequest(
        document: reference.document, base: plan.base, author: author, origin: origin,
        atRest: atRest, edits: plan.actions.map { AppendEdit(action: $0, transaction: 0) })
      request.event = .undo(plan.change, to: plan.target)
      return (plan.step, request)
    } catch { throw error.about(reference.document) }
  }

  /// The actions that move along the undo tree, at least one. They apply to the newest version.
  fileprivate func plan(
    _ replay: Replay, _ move: (UndoTree) throws(ProtocolError) -> UndoMove
  ) throws(ProtocolError) -> UndoPlan {
    let (tree, state) = try undoTree(replay)
    let move = try move(tree)
    guard let target = tree[move.target]?.sequences.upperBound else {
      throw ProtocolError(.internalError, "the undo tree has no step \(move.target)")
    }
    let change = tree.change(to: move.target)
    let version: TextState
    do { version = try self.version(target, replay) } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
    do throws(UndoError) {
      let actions = try tree.actions(making: change, in: state, to: version)
      return UndoPlan(
        step: move.shown, base: state.sequence, change: change, target: target, actions: actions)
    } catch {
      throw ProtocolError(
        .internalError,
        "\(error); nothing was changed. This is a defect: please report it, with `editlog verify`")
    }
  }

  /// The undo tree of the newest version, and this version.
  func undoTree(
    _ replay: Replay
  ) throws(ProtocolError) -> (tree: UndoTree, state: TextState) {
    let runner = try fold(replay, [UndoHistory()])
    guard let history = runner[UndoHistory.self] else {
      throw ProtocolError(.internalError, "the undo history was not folded")
    }
    return (history.tree, runner.state)
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
      return try replay.fold(projections, from: state, through: last) { runner in
        try progress.note(runner.state.sequence)
        return isDone(runner)
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }
}
