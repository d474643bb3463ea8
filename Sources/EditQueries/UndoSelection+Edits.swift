import EditLog
import EditModel
import EditProtocol
import Projections
import Replay
import TextState

extension QueryEngine {
  /// The edits of a selection, which are not taken back already.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` if there are none, or there is no such step, paragraph or
  ///   range.
  func edits(
    of selection: UndoSelection, _ tree: UndoTree, _ state: TextState, _ replay: Replay
  ) throws(ProtocolError) -> SequenceSet {
    let history = replay.history
    var found = tree.ordinaryEdits.subtracting(tree.provenance.undone)
    func keep(_ set: SequenceSet) { found = found.intersection(set) }
    if let number = selection.step {
      guard number > 0, let step = tree[number] else {
        throw ProtocolError(
          .unknownPoint,
          """
          there is no undo step \(number) in \(history.document.shown); its steps are 1 to \
          \(tree.steps.count) (`editlog undo --list`)
          """)
      }
      keep(SequenceSet(step.sequences))
    }
    if selection.after != nil || selection.through != nil {
      // Both are what a client sent.
      let after = selection.after ?? 0
      if let through = selection.through, after >= through {
        throw ProtocolError(
          .unknownPoint,
          """
          no edit is after version \(after) and not after version \(through) of \
          \(history.document.shown); nothing was changed
          """)
      }
      let last = min(selection.through ?? .max, history.lastSequence)
      keep(after < last ? SequenceSet(after + 1...last) : SequenceSet())
    }
    if let range = try range(of: selection, state, history.document) {
      keep(tree.provenance.edits(inside: range))
    }
    if !found.isEmpty { found = try filter(found, selection, replay) }
    guard !found.isEmpty else {
      throw ProtocolError(
        .unknownPoint,
        """
        no edit of \(history.document.shown) that is not undone meets all conditions; nothing was changed
        """)
    }
    return found
  }

  /// The range of the newest version that a selection names, if it names one.
  private func range(
    of selection: UndoSelection, _ state: TextState, _ document: DocumentID
  ) throws(ProtocolError) -> UTF16Range? {
    var range = selection.range
    if let id = selection.paragraph {
      guard let found = state.paragraph(id)?.descriptor.range else {
        throw .absentParagraph(id, of: document, at: state.sequence)
      }
      guard let other = range else { return found }
      let lower = max(found.location, other.location)
      range = UTF16Range(lower..<max(lower, min(found.upperBound, other.upperBound)))
    }
    guard let range else { return nil }
    guard range.upperBound <= state.length else {
      throw ProtocolError(
        .unknownPoint,
        "the range \(range) ends after the text of \(document.shown), which has \(state.length) UTF-16 units"
      )
    }
    return range
  }

  /// Those of some edits that meet the conditions on single edits.
  private func filter(
    _ edits: SequenceSet, _ selection: UndoSelection, _ replay: Replay
  ) throws(ProtocolError) -> SequenceSet {
    guard let first = edits.ranges.first?.lowerBound, let last = edits.ranges.last?.upperBound
    else {
      return edits
    }
    var kept = SequenceSet()
    do {
      try replay.history.forEachEntry(after: first - 1, through: last) { entry in
        guard case .edit(let edit) = entry, edits.contains(edit.sequence),
          selection.includes(edit)
        else { return }
        kept.append(edit.sequence)
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    return kept
  }
}

extension UndoSelection {
  /// True if an edit meets the conditions on single edits.
  fileprivate func includes(_ edit: Edit) -> Bool {
    if edit.origin == .load, origin != .load, step == nil { return false }
    if let author, !edit.author.isExactly(author) { return false }
    if isAgent, edit.origin != .program || edit.author == nil { return false }
    if let agent, edit.origin != .program || !edit.author.isExactly(agent) { return false }
    if let origin, edit.origin != origin { return false }
    if let session, edit.session != session { return false }
    return true
  }
}

extension ShownRemainder {
  init(_ remainder: UndoRemainder) {
    switch remainder {
    case .stays(let range, let text, let inside):
      self.init(kind: .stays, location: range.location, text: text, inside: inside)
    case .staysDeleted(let location, let text, let sequence):
      self.init(kind: .staysDeleted, location: location, text: text, deletedBy: sequence)
    case .staysMoved(let range, let text, let sequence):
      self.init(kind: .staysMoved, location: range.location, text: text, movedBy: sequence)
    }
  }
}
