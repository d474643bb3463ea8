import EditLog
import EditModel
import EditProtocol
import Projections
import Replay
import TextState

extension QueryEngine {
  /// The tree of undo steps (`list`), or the edits that take the current step back.
  func undo(_ query: Query, _ replay: Replay) throws(ProtocolError) -> JSON {
    let isList = try query.read { (params) throws(ShapeError) in
      try params.boolIfPresent("list") ?? false
    }
    if isList { return Self.list(try undoHistory(replay).history) }
    let plan = try undoPlan(replay)
    let edits = plan.actions.map { AppendEdit(action: $0, origin: .undo).json }
    return ["step": JSON(plan.step), "base": JSON(plan.base), "edits": .array(edits)]
  }

  /// The actions that take the current undo step back, valid against the newest version `base`;
  /// at least one.
  func undoPlan(_ replay: Replay) throws(ProtocolError)
    -> (step: Int, base: SequenceNumber, actions: [EditAction])
  {
    let (undo, last) = try undoHistory(replay)
    guard let step = undo.undoable else {
      throw ProtocolError(
        .unknownPoint, "there is nothing to undo in \(replay.history.document.shown)")
    }
    do {
      let before = try replay.state(at: .sequence(step.sequences.lowerBound - 1))
      var edits: [Edit] = []
      try replay.history.forEachEntry(
        after: before.sequence, through: step.sequences.upperBound
      ) { if case .edit(let edit) = $0 { edits.append(edit) } }
      var actions = try UndoHistory.inverseActions(of: step, from: before, edits: edits)
      // A step that changed nothing is taken back by an edit that changes nothing: without one
      // the document would stand at the step for ever.
      if actions.isEmpty {
        actions = [EditAction(replacing: UTF16Range(0..<0), with: UTF16Text())]
      }
      return (step.number, last, actions)
    } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
  }

  private func undoHistory(_ replay: Replay) throws(ProtocolError)
    -> (history: UndoHistory, last: SequenceNumber)
  {
    let runner = try fold(replay, [UndoHistory()])
    guard let history = runner[UndoHistory.self] else {
      throw ProtocolError(.internalError, "the undo history was not folded")
    }
    return (history, runner.state.sequence)
  }

  private static func list(_ history: UndoHistory) -> JSON {
    var path: Set<Int> = []
    var at: Int? = history.current
    while let number = at {
      path.insert(number)
      at = history[number]?.parent
    }
    let steps = history.steps.map { step -> JSON in
      var row: JSONObject = [
        "step": JSON(step.number), "parent": JSON(step.parent ?? 0),
        "first": JSON(step.sequences.lowerBound), "last": JSON(step.sequences.upperBound),
        "edits": JSON(step.editCount), "inserted": JSON(step.insertedUnits),
        "deleted": JSON(step.deletedUnits), "current": .bool(step.number == history.current),
        "undone": .bool(!path.contains(step.number)),
      ]
      row["origin"] = step.origin.map { JSON($0.name) }
      row["author"] = step.author.map { JSON($0) }
      row["time"] = step.firstTime.map { JSON($0.rfc3339) }
      return .object(row)
    }
    return ["steps": .array(steps)]
  }
}

extension QueryEngine {
  /// Folds a whole history into projections.
  func fold(_ replay: Replay, _ projections: [any Projection]) throws(ProtocolError)
    -> ProjectionRunner
  {
    var runner = ProjectionRunner(projections)
    do {
      try replay.check()
      try replay.history.forEachEntry { try runner.apply($0) }
    } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
    return runner
  }
}
