import EditLog
import EditModel
package import EditProtocol
import Projections
import Replay
import TextState

extension RestoreRequest {
  /// The edits that bring back a version, or a part of it, as one transaction against the newest
  /// version, and the answer. Without edits, the text is the same already.
  ///
  /// All of a version comes back as the undo of everything since: its text keeps its writers, and the
  /// restore is a step that can be undone. A range comes back where its units stand now, dead ones
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
      guard paragraph == nil || range == nil else {
        throw ProtocolError(.invalidParams, "params may have one of paragraph and range")
      }
      let old = try await engine.state(at: at, "at", replay)
      // A program with an author is an agent, and who restores is none.
      var request = AppendRequest(
        document: history.document, base: latest, author: author, origin: .paste,
        atRest: atRest, edits: [])
      request.acceptsLoss = base != nil
      let plan =
        if let paragraph {
          try engine.restoring(try self.paragraph(paragraph, of: old), of: old, replay)
        } else if let range {
          try engine.restoring(try part(range, of: old), of: old, replay)
        } else {
          try engine.restoring(old, replay, &request)
        }
      request.edits = plan.actions.map { AppendEdit(action: $0, transaction: 0) }
      return (
        RestoreAnswer(
          from: old.sequence, sequence: latest, isChanged: !request.edits.isEmpty,
          range: plan.range), request
      )
    } catch { throw error.about(history.document) }
  }

  /// The paragraph of the old version to bring back.
  private func paragraph(
    _ id: ParagraphID, of old: TextState
  ) throws(ProtocolError) -> ParagraphDescriptor {
    guard let found = old.paragraph(id)?.descriptor else {
      throw .absentParagraph(id, of: history.document, at: old.sequence)
    }
    return found
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

extension QueryEngine {
  /// The actions that make the newest version equal to `old`. If the units of both are known, they are
  /// the undo of everything since.
  fileprivate func restoring(
    _ old: TextState, _ replay: Replay, _ request: inout AppendRequest
  ) throws(ProtocolError) -> (actions: [EditAction], range: UTF16Range) {
    let (tree, state) = try undoTree(replay)
    let whole = UTF16Range(0..<state.length)
    if state.text == old.text, state.attributeRuns == old.attributeRuns { return ([], whole) }
    let former = try self.former(at: old.sequence, replay)
    let later = tree.ordinaryEdits.subtracting(
      old.sequence > 0 ? SequenceSet(1...old.sequence) : SequenceSet())
    let change = UndoneChange(
      from: tree.provenance.undone, to: former.undone.union(later))
    if !change.isEmpty, let actions = try? tree.actions(making: change, in: state, to: old) {
      (request.origin, request.event) = (.undo, .undo(change, to: nil))
      return (actions, whole)
    }
    // In the middle of an undo, say: a version that is no set of edits.
    return (try differences(from: state, whole, to: old, UTF16Range(0..<old.length)), whole)
  }

  /// The actions that bring back a range of `old` in the newest version.
  fileprivate func restoring(
    _ part: UTF16Range, of old: TextState, _ replay: Replay
  ) throws(ProtocolError) -> (actions: [EditAction], range: UTF16Range) {
    let (tree, state) = try undoTree(replay)
    let former = try former(at: old.sequence, replay)
    let range = tree.range(
      tree.provenance.range(of: part, in: former), typedOver: part, of: former, length: state.length
    )
    return (try differences(from: state, range, to: old, part), range)
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
    } catch {
      throw ProtocolError(.internalError, "the restore does not fit the text: \(error)")
    }
    return actions
  }
}

extension UndoTree {
  /// A range of the newest version, and the text on both sides that was typed over a part of an old one:
  /// by the undo steps that removed units of it. O(pieces of both versions + steps).
  fileprivate func range(
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
