import EditLog
package import EditModel
package import EditProtocol
import Projections
import Replay

/// Whether there is something to undo and to redo after each delivery of a document's entries, and what
/// was last sent to the follower.
///
/// An ordinary edit, which opens a transaction and whose origin is none of `undo`, `redo` and `load`, makes
/// a step: there is something to undo and nothing to redo. So typing needs no history. The tree of steps is
/// folded only if a delivery ends after another edit, or if it is not certain that the edit makes a step:
///
/// - an event before it may say that it is an undo (`HistoryEvent.Kind.undo`);
/// - it may be a stroke that joins the step of the stroke before it;
/// - it may change nothing, and makes no step then.
package struct FollowedUndo: Sendable {
  private struct Answer: Hashable {
    var isUndoable: Bool
    var isRedoable: Bool

    /// The answer after an ordinary edit.
    static let typed = Answer(isUndoable: true, isRedoable: false)
    /// The answer before the first edit.
    static let none = Answer(isUndoable: false, isRedoable: false)
  }

  private var told: Answer?
  /// The answer after the last entry. Nil if only the tree gives it.
  private var current: Answer?
  /// The last edit.
  private var last: SequenceNumber
  /// True if the last edit may be a stroke.
  private var mayBeStroke = true
  /// True if an event since the last transaction may say that the next one is an undo.
  private var mayBeAnnounced = true
  /// The transaction of the last edit, if an ordinary edit opened it.
  private var ordinary: SequenceNumber?

  /// A follower that was told nothing, and has the entries up to a place.
  ///
  /// - Parameters:
  ///   - position: The place.
  ///   - isExact: False if events that the place does not count may come before it.
  package init(at position: HistoryPosition, isExact: Bool = true) {
    last = position.after
    if isExact, position == HistoryPosition() {
      (current, mayBeStroke, mayBeAnnounced) = (Answer.none, false, false)
    }
  }

  /// Notes the next entries of a document, which are one delivery.
  package mutating func note(_ entries: [HistoryEntry]) { for entry in entries { note(entry) } }

  /// False if the tree has to be folded for the answer after the last entry.
  package var isKnown: Bool { current != nil }

  /// The answer after the entries of a delivery, if the follower was told another one. Nil if the delivery
  /// ends within a transaction that may be an undo: the delivery of its rest tells more.
  package mutating func state(
    of document: DocumentID, in engine: QueryEngine
  ) async throws(ProtocolError) -> UndoState? {
    if current == nil { current = try await fold(document, engine, isWhole: true) }
    return news
  }

  /// Notes that the entries up to a place are left out. Returns the answer there if the follower was told
  /// another one.
  package mutating func state(
    skippingTo position: HistoryPosition, of document: DocumentID, in engine: QueryEngine
  ) async throws(ProtocolError) -> UndoState? {
    let told = told
    self = FollowedUndo(at: position)
    self.told = told
    if current == nil { current = try await fold(document, engine, isWhole: false) }
    return news
  }

  /// What the follower was not told yet. It counts as told then.
  private var news: UndoState? {
    mutating get {
      guard let current, current != told else { return nil }
      told = current
      return UndoState(
        sequence: last, isUndoable: current.isUndoable, isRedoable: current.isRedoable)
    }
  }

  private mutating func note(_ entry: HistoryEntry) {
    switch entry {
    case .event(let event): if case .undo = event.kind { mayBeAnnounced = true }
    case .edit(let edit):
      current = answer(after: edit)
      last = edit.sequence
      mayBeStroke = edit.origin == .typing || edit.origin == .removal
    }
  }

  /// The answer after the next edit. Nil if only the tree gives it.
  private mutating func answer(after edit: Edit) -> Answer? {
    guard edit.sequence == last + 1 else {
      (ordinary, mayBeStroke, mayBeAnnounced) = (nil, true, true)
      return nil
    }
    guard edit.transaction == edit.sequence else {
      // It joins the step of the edit before it.
      if edit.transaction == ordinary { return current }
      ordinary = nil
      return nil
    }
    defer { mayBeAnnounced = false }
    ordinary = nil
    if mayBeAnnounced { return nil }
    switch edit.origin {
    case .undo, .redo, .load: return nil
    case .typing, .removal, .paste, .format, .program, .external: break
    }
    if current != .typed, mayBeStroke || edit.action.mayChangeNothing { return nil }
    ordinary = edit.sequence
    return .typed
  }

  /// The answer of the tree after the last edit. Nil if the whole transaction is asked for, and more of it
  /// is logged.
  private func fold(
    _ document: DocumentID, _ engine: QueryEngine, isWhole: Bool
  ) async throws(ProtocolError) -> Answer? {
    let engine = engine.begun()
    let replay = try await engine.replay(HistoryReference(document))
    if isWhole, try isWithinTransaction(replay) { return nil }
    let runner = try engine.fold(replay, [UndoHistory()], through: last)
    guard let tree = runner[UndoHistory.self]?.tree else {
      throw ProtocolError(.internalError, "the undo history was not folded")
    }
    return Answer(isUndoable: tree.undoable != nil, isRedoable: tree.redoable != nil)
  }

  /// True if the next edit is logged and belongs to the transaction of the last one.
  private func isWithinTransaction(_ replay: Replay) throws(ProtocolError) -> Bool {
    guard last < replay.history.lastSequence else { return false }
    var isWithin = false
    do {
      try replay.history.forEachEntry(after: last, through: last + 1) { entry in
        if case .edit(let edit) = entry, edit.sequence == last + 1 {
          isWithin = edit.transaction <= last
        }
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    return isWithin
  }
}

extension EditAction {
  /// True if the text and its attributes may be the same after it: only the text tells.
  fileprivate var mayChangeNothing: Bool {
    replacement.map { $0.count == range.length } ?? true
  }
}
