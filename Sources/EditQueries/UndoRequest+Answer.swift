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
    let tree = try engine.undoTree(replay, grouping).tree
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
    let plan = try engine.plan(replay, grouping) { (tree, state) throws(ProtocolError) in
      try engine.undoMove(tree, state, replay, to: target, selection)
    }
    var answer = try plan.answer(engine, .undo)
    if selection != nil { answer.step = nil }
    return answer
  }
}

extension RedoPlanRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> UndoPlanAnswer {
    try engine.plan(replay, grouping) { (tree, state) throws(ProtocolError) in
      try engine.redoMove(tree, state, replay)
    }.answer(engine, .redo)
  }
}

extension UndoRequest {
  /// The edits that take back the current undo step or a selection, or lead to another step, as one
  /// transaction against the newest version; and the answer, without the number of the last edit.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; as for
  ///   `UndoPlanRequest`.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (answer: UndoAnswer, request: AppendRequest) {
    let engine = engine.begun()
    return try await engine.request(history, grouping, base: base, .undo, author, atRest) {
      (tree, state, replay) throws(ProtocolError) in
      try engine.undoMove(tree, state, replay, to: target, selection)
    }
  }
}

extension RedoRequest {
  /// The edits that bring back the step that a redo leads to, as one transaction against the newest
  /// version; and the answer, without the number of the last edit.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` if there is nothing to redo; `sequenceConflict` if the
  ///   document is not at `base`.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (answer: UndoAnswer, request: AppendRequest) {
    let engine = engine.begun()
    return try await engine.request(history, grouping, base: base, .redo, author, atRest) {
      (tree, state, replay) throws(ProtocolError) in
      try engine.redoMove(tree, state, replay)
    }
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

/// What an undo or a redo is to do.
struct UndoMove {
  /// The step that the answer names.
  var step: Int
  var change: UndoneChange
  /// The step that it leads to; nil for a selection.
  var target: Int?
}

/// The actions of an undo or a redo.
struct UndoPlan {
  var step: Int
  var change: UndoneChange
  /// The version whose text the actions make, if it is one of the tree.
  var target: SequenceNumber?
  /// The newest version, to which the actions apply.
  var before: TextState
  /// The version after them.
  var after: TextState
  /// At least one.
  var actions: [EditAction]
  var remainders: [ShownRemainder]
  /// The carets and selected ranges that the client had in this text; none if they are not known.
  var selection: [SelectedRange]

  /// The answer to a question for this plan.
  fileprivate func answer(
    _ engine: QueryEngine, _ origin: Origin
  ) throws(ProtocolError) -> UndoPlanAnswer {
    UndoPlanAnswer(
      step: step, base: before.sequence,
      edits: actions.map { AppendEdit(action: $0, origin: origin) },
      undone: change.undone, redone: change.redone, remainders: remainders,
      unified: try engine.unified(from: before, to: after), selection: selection)
  }
}

extension QueryEngine {
  /// What an undo is to do: take back the current step or a selection, or lead to a step.
  fileprivate func undoMove(
    _ tree: UndoTree, _ state: TextState, _ replay: Replay, to target: Int?,
    _ selection: UndoSelection?
  ) throws(ProtocolError) -> UndoMove {
    let name = replay.history.document.shown
    guard target == nil || selection == nil else {
      throw ProtocolError(.invalidParams, "params may have one of to and selection")
    }
    if let target {
      guard tree[target] != nil else {
        throw ProtocolError(
          .unknownPoint,
          """
          there is no undo step \(target) in \(name); its steps are 1 to \(tree.steps.count), and 0 is \
          the start (`editlog undo --list`)
          """)
      }
      guard target != tree.current else {
        throw ProtocolError(.unknownPoint, "\(name) is at undo step \(target) already")
      }
      return UndoMove(step: target, change: tree.change(to: target), target: target)
    }
    if let selection {
      let undone = try edits(of: selection, tree, state, replay)
      // The newest step alone is the plain undo.
      if let step = tree.undoable, let parent = step.parent,
        tree.change(to: parent) == UndoneChange(undone: undone)
      {
        return UndoMove(step: step.number, change: tree.change(to: parent), target: parent)
      }
      return UndoMove(step: tree.steps.count + 1, change: UndoneChange(undone: undone))
    }
    var undone = tree.undoable
    while let step = undone, let parent = step.parent {
      // A step that left the text as it was is taken back with the one before it.
      if try !isText(of: state, at: parent, tree, replay) {
        return UndoMove(step: step.number, change: tree.change(to: parent), target: parent)
      }
      undone = tree.undoable(at: parent)
    }
    throw ProtocolError(.unknownPoint, "there is nothing to undo in \(name)")
  }

  /// What a redo is to do.
  fileprivate func redoMove(
    _ tree: UndoTree, _ state: TextState, _ replay: Replay
  ) throws(ProtocolError) -> UndoMove {
    var (redone, target) = (tree.redoable?.number, tree.redoTarget)
    while let step = redone, let number = target {
      if try !isText(of: state, at: number, tree, replay) {
        return UndoMove(step: step, change: tree.change(to: number), target: number)
      }
      // A step that leaves the text as it is is brought back with the one after it.
      redone = number > tree.current ? tree.redoable(at: number)?.number : nil
      target = redone
    }
    throw ProtocolError(
      .unknownPoint, "there is nothing to redo in \(replay.history.document.shown)")
  }

  /// True if the text after a step is that of `state`, with the same attributes. O(1) if the lengths differ.
  private func isText(
    of state: TextState, at number: Int, _ tree: UndoTree, _ replay: Replay
  ) throws(ProtocolError) -> Bool {
    guard let step = tree[number], step.lengthAfter == state.length else { return false }
    do {
      let version = try version(step.sequences.upperBound, replay)
      return version.text == state.text && version.attributeRuns == state.attributeRuns
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }

  /// The request that makes an undo or a redo, as one transaction against the newest version.
  fileprivate func request(
    _ reference: HistoryReference, _ rule: UndoRule?, base: SequenceNumber?, _ origin: Origin,
    _ author: String?, _ atRest: Bool,
    _ move: (UndoTree, TextState, Replay) throws(ProtocolError) -> UndoMove
  ) async throws(ProtocolError) -> (answer: UndoAnswer, request: AppendRequest) {
    do throws(ProtocolError) {
      let replay = try await replay(reference, base: base)
      let plan = try plan(replay, rule) { (tree, state) throws(ProtocolError) in
        try move(tree, state, replay)
      }
      var request = AppendRequest(
        document: reference.document, base: plan.before.sequence, author: author, origin: origin,
        atRest: atRest, edits: plan.actions.map { AppendEdit(action: $0, transaction: 0) })
      // The log, and an editor that makes the edits, get what is selected then.
      if let last = request.edits.indices.last, !plan.selection.isEmpty {
        request.edits[last].selection = try? EditSelection(after: plan.selection)
      }
      request.event = .undo(plan.change, to: plan.target)
      request.acceptsLoss = base != nil
      let answer = UndoAnswer(
        step: plan.step, sequence: plan.before.sequence, undone: plan.change.undone,
        redone: plan.change.redone, remainders: plan.remainders, selection: plan.selection)
      return (answer, request)
    } catch { throw error.about(reference.document) }
  }

  /// The actions of an undo or a redo, at least one, checked against what it claims to lead to.
  fileprivate func plan(
    _ replay: Replay, _ rule: UndoRule?,
    _ move: (UndoTree, TextState) throws(ProtocolError) -> UndoMove
  ) throws(ProtocolError) -> UndoPlan {
    let (tree, state) = try undoTree(replay, rule)
    let move = try move(tree, state)
    let target = move.target.flatMap { tree[$0]?.sequences.upperBound }
    var version: TextState?
    do { version = try target.map { try self.version($0, replay) } } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
    let plan: UndoPlan
    do throws(UndoError) {
      let actions = try tree.actions(making: move.change, in: state, to: version)
      var after = state
      for action in actions {
        do throws(EditError) { try after.advance(by: action) } catch { throw .refused(error) }
      }
      let remainders =
        move.target == nil
        ? tree.provenance.remainders(of: move.change).map { ShownRemainder($0) } : []
      plan = UndoPlan(
        step: move.step, change: move.change, target: target, before: state, after: after,
        actions: actions, remainders: remainders, selection: [])
    } catch {
      throw ProtocolError(
        .internalError,
        "\(error); nothing was changed. This is a defect: please report it, with `editlog verify`")
    }
    var found = plan
    found.selection =
      if let step = move.target {
        try selection(at: step, tree, plan.after, replay)
      } else {
        try selection(takingBack: move.change, tree, plan.after, rule, replay)
      }
    return found
  }

  /// The undo tree of a version, and this version. By default, the newest one. `share` is the part of
  /// the work on the answer that this is.
  func undoTree(
    _ replay: Replay, _ rule: UndoRule? = nil, through last: SequenceNumber? = nil,
    share: ClosedRange<Double> = 0...1
  ) throws(ProtocolError) -> (tree: UndoTree, state: TextState) {
    let runner = try fold(
      replay, [UndoHistory(grouping: UndoGrouping(rule))], through: last, share: share)
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
      return try replay.fold(
        projections, from: state, through: last, pass: { try progress.note($0) }, until: isDone)
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }
}

extension QueryEngine {
  /// The maximum length of the unified diff of a plan, in UTF-16 units.
  private static let unifiedLengthMax = 1 << 26

  /// What a plan changes.
  func unified(
    from before: TextState, to after: TextState
  ) throws(ProtocolError) -> UTF16Text {
    let pieces = TextDifference.unifiedPieces(
      from: before.text, to: after.text, context: 3, pieceLength: 1 << 20)
    guard pieces.reduce(0, { $0 + $1.count }) <= Self.unifiedLengthMax else {
      throw ProtocolError(
        .tooLarge,
        "the change is larger than a diff of \(Self.unifiedLengthMax) UTF-16 units can show")
    }
    return pieces.reduce(into: UTF16Text()) { $0.append($1) }
  }
}

extension UndoGrouping {
  /// The usual rule, with what `rule` changes.
  init(_ rule: UndoRule?) {
    self.init()
    guard let rule else { return }
    pauseNanoseconds = rule.pauseNanoseconds ?? pauseNanoseconds
    if let names = rule.kinds { kinds = kinds.filter { names.contains($0.name) } }
    newlineStartsStep = rule.newlineStartsStep
  }
}
