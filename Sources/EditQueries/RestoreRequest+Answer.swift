import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

/// What a restore is to do.
struct RestorePlan {
  /// None if the text is the same already.
  var actions: [EditAction]
  /// What they replace, in UTF-16 units of the text before.
  var range: UTF16Range
  /// The change of the undone edits, if the actions make an undo.
  var change: UndoneChange?
}

extension RestoreRequest {
  /// The edits that bring back a version, or a part of it, as one transaction against the newest
  /// version, and the answer. Without edits, the text is the same already.
  ///
  /// All of a version comes back as the undo of everything since: its text keeps its writers, and the
  /// restore is a step that can be undone. So does a part, if the edits that changed it changed nothing
  /// else; otherwise it is inserted again. A range comes back where its units stand now, dead ones
  /// included, a paragraph by the rules of `RestoreRequest+Paragraph.swift`.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; `unknownPoint` if
  ///   the version does not have the part.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (answer: RestoreAnswer, request: AppendRequest) {
    let engine = engine.begun()
    do throws(ProtocolError) {
      let replay = try await engine.replay(history, base: base)
      let latest = replay.history.lastSequence
      let (old, plan) = try await plan(engine, replay)
      // A program with an author is an agent, and who restores is none.
      var request = AppendRequest(
        document: history.document, base: latest, author: author,
        origin: plan.change == nil ? .paste : .undo, atRest: atRest,
        edits: plan.actions.map { AppendEdit(action: $0, transaction: 0) })
      request.event = plan.change.map { .undo($0, to: nil) }
      request.acceptsLoss = base != nil
      return (
        RestoreAnswer(
          from: old.sequence, sequence: latest, isChanged: !request.edits.isEmpty,
          range: plan.range), request
      )
    } catch { throw error.about(history.document) }
  }

  /// The old version, and what brings it back.
  fileprivate func plan(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> (old: TextState, plan: RestorePlan) {
    guard paragraph == nil || range == nil else {
      throw ProtocolError(.invalidParams, "params may have one of paragraph and range")
    }
    let old = try await engine.state(at: at, "at", replay)
    let plan =
      if let paragraph {
        try engine.restoring(
          try self.paragraph(paragraph, of: old, engine, replay), of: old, replay)
      } else if let range {
        try engine.restoring(try part(range, of: old), of: old, replay)
      } else {
        try engine.restoring(old, replay)
      }
    return (old, plan)
  }

  /// The paragraph of the old version to bring back.
  private func paragraph(
    _ id: ParagraphID, of old: TextState, _ engine: QueryEngine, _ replay: Replay
  ) throws(ProtocolError) -> ParagraphDescriptor {
    if let found = old.paragraph(id)?.descriptor { return found }
    // Lists of removed paragraphs name the edit that removed them.
    var hint =
      "`editlog paragraphs --dead` says which edit removed one, and the version before has it"
    if old.sequence > 0, try engine.version(old.sequence - 1, replay).paragraph(id) != nil {
      hint = "version \(old.sequence - 1) has it"
    }
    throw ProtocolError(
      .unknownPoint,
      "version \(old.sequence) of \(history.document.shown) has no paragraph \(id); \(hint)")
  }

  /// The range of the old version to bring back, checked.
  private func part(
    _ range: UTF16Range, of old: TextState
  ) throws(ProtocolError) -> UTF16Range {
    guard range.upperBound <= old.length else {
      throw ProtocolError(
        .unknownPoint,
        """
        the range \(range) ends after the text of version \(old.sequence), which has \(old.length) \
        UTF-16 units
        """)
    }
    guard !range.isEmpty else { throw .emptyPart(of: old.sequence) }
    return range
  }
}

extension ProtocolError {
  /// A part without units.
  static func emptyPart(of version: SequenceNumber) -> Self {
    Self(.unknownPoint, "the part of version \(version) is empty, so it has no place now")
  }
}

extension RestorePlanRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> RestorePlanAnswer {
    let restore = RestoreRequest(history, at: at, paragraph: paragraph, range: range)
    let (old, plan) = try await restore.plan(engine, replay)
    let before = try engine.version(replay.history.lastSequence, replay)
    var after = before
    do throws(EditError) {
      for action in plan.actions { try after.advance(by: action) }
    } catch { throw ProtocolError(restoring: error) }
    let origin = plan.change == nil ? Origin.paste : .undo
    return RestorePlanAnswer(
      from: old.sequence, base: before.sequence, isChanged: !plan.actions.isEmpty,
      range: plan.range, edits: plan.actions.map { AppendEdit(action: $0, origin: origin) },
      undone: plan.change?.undone ?? SequenceSet(), redone: plan.change?.redone ?? SequenceSet(),
      unified: try engine.unified(from: before, to: after))
  }
}

extension ProtocolError {
  init(restoring error: EditError) {
    self.init(.internalError, "the restore does not fit the text: \(error)")
  }
}

extension QueryEngine {
  /// What makes the newest version equal to `old`. If the units of both are known, it is the undo of
  /// everything since.
  fileprivate func restoring(
    _ old: TextState, _ replay: Replay
  ) throws(ProtocolError) -> RestorePlan {
    let (tree, state) = try undoTree(replay)
    let whole = UTF16Range(0..<state.length)
    if state.text == old.text, state.attributeRuns == old.attributeRuns {
      return RestorePlan(actions: [], range: whole)
    }
    let former = try self.former(at: old.sequence, replay)
    let later = tree.ordinaryEdits.subtracting(
      old.sequence > 0 ? SequenceSet(1...old.sequence) : SequenceSet())
    let change = UndoneChange(
      from: tree.provenance.undone, to: former.undone.union(later))
    if !change.isEmpty, let actions = try? tree.actions(making: change, in: state, to: old) {
      return RestorePlan(actions: actions, range: whole, change: change)
    }
    // In the middle of an undo, say: a version that is no set of edits.
    let part = UTF16Range(0..<old.length)
    return RestorePlan(actions: try differences(from: state, whole, to: old, part), range: whole)
  }

  /// What brings back a range of `old` in the newest version.
  fileprivate func restoring(
    _ part: UTF16Range, of old: TextState, _ replay: Replay
  ) throws(ProtocolError) -> RestorePlan {
    let (tree, state) = try undoTree(replay)
    let former = try former(at: old.sequence, replay)
    let range = tree.range(
      tree.provenance.range(of: part, in: former), typedOver: part, of: former, length: state.length
    )
    let actions = try differences(from: state, range, to: old, part)
    if actions.isEmpty { return RestorePlan(actions: [], range: range) }
    return reviving(part, of: old, former, replacing: range, margin: part, in: state, tree)
      ?? RestorePlan(actions: actions, range: range)
  }

  /// The undo that brings back a part of `old` in the newest version, `state`; nil if there is none.
  ///
  /// - Parameters:
  ///   - part: The range of the old version.
  ///   - range: What is there now.
  ///   - margin: The range of the old version that may come back with the part.
  ///   - isRight: Whether the version that the undo makes is right, from the location of the part in it,
  ///     where the old text stands.
  func reviving(
    _ part: UTF16Range, of old: TextState, _ former: Provenance, replacing range: UTF16Range,
    margin: UTF16Range, in state: TextState, _ tree: UndoTree,
    isRight: (TextState, _ location: Int) -> Bool = { _, _ in true }
  ) -> RestorePlan? {
    guard
      let (change, location) = tree.revival(of: part, in: former, replacing: range, margin: margin),
      let actions = try? tree.actions(making: change, in: state)
    else { return nil }
    var after = state
    for action in actions { guard (try? after.advance(by: action)) != nil else { return nil } }
    let new = UTF16Range(location..<location + part.length)
    guard new.upperBound <= after.length, after.text(in: new) == old.text(in: part),
      after.attributeRuns(in: new) == old.attributeRuns(in: part), isRight(after, location)
    else { return nil }
    return RestorePlan(actions: actions, range: range, change: change)
  }

  /// The units at an old version.
  func former(
    at sequence: SequenceNumber, _ replay: Replay
  ) throws(ProtocolError) -> Provenance {
    let runner = try fold(replay, [UndoHistory()], through: sequence)
    return runner[UndoHistory.self]?.tree.provenance ?? Provenance()
  }

  /// The actions that make a range of a version equal to a range of another one.
  func differences(
    from state: TextState, _ range: UTF16Range, to other: TextState, _ part: UTF16Range
  ) throws(ProtocolError) -> [EditAction] {
    var next = state
    var actions: [EditAction] = []
    do throws(EditError) {
      for action in TextDifference.replacements(
        from: state.text(in: range), to: other.text(in: part))
      {
        let place = action.range.location + range.location
        let moved = EditAction(
          replacing: UTF16Range(place..<place + action.range.length),
          with: action.replacement ?? UTF16Text())
        try next.advance(by: moved)
        actions.append(moved)
      }
      let new = UTF16Range(range.location..<range.location + part.length)
      for action in next.restyling(new, to: other.attributeRuns(in: part)) {
        try next.advance(by: action)
        actions.append(action)
      }
    } catch { throw ProtocolError(restoring: error) }
    return actions
  }
}

extension UndoTree {
  /// A range of the newest version, and the text on both sides that was typed over a part of an old one:
  /// by the undo steps that removed units of it. O(pieces of both versions + steps).
  func range(
    _ range: UTF16Range, typedOver part: UTF16Range, of former: Provenance, length: Int
  ) -> UTF16Range {
    let removals = SequenceSet(
      provenance.fates(of: former).filter { $0.range.bounds.overlaps(part.bounds) }
        .compactMap { fate in fate.removal.map { $0...$0 } })
    guard !removals.isEmpty else { return range }
    let removing = SequenceSet(
      steps.filter { $0.number > 0 }.map(\.sequences).filter { removals.overlaps($0) })
    let pieces = provenance.blame(UTF16Range(0..<length), by: .lastWriter)
    let first = removals.ranges[0].lowerBound
    var (lower, upper) = (range.location, range.upperBound)
    // What was typed later may be between them.
    var edge = lower
    for piece in pieces.reversed() where piece.range.location < edge {
      guard piece.range.upperBound >= edge, piece.sequence >= first else { break }
      edge = piece.range.location
      if removing.contains(piece.sequence) { lower = edge }
    }
    edge = upper
    for piece in pieces where piece.range.upperBound > edge {
      guard piece.range.location <= edge, piece.sequence >= first else { break }
      edge = piece.range.upperBound
      if removing.contains(piece.sequence) { upper = edge }
    }
    return UTF16Range(lower..<upper)
  }
}

extension SequenceSet {
  /// True if the set has a number of `numbers`. O(log ranges).
  fileprivate func overlaps(_ numbers: ClosedRange<SequenceNumber>) -> Bool {
    let index = ranges.partitionPoint { $0.upperBound < numbers.lowerBound }
    return index < ranges.count && ranges[index].lowerBound <= numbers.upperBound
  }
}
