import EditModel
import Projections
import TextState

/// Follows undo steps and blame through a history, and records the units whose writer is not the edit that
/// brought them into the text: those that were cut and pasted, undone or redone.
///
/// With this list a player that gives the units of each insertion to its edit has the blame of every
/// version, but for versions inside the transaction of an undo: there the units that it has brought back
/// count as its own, as they do for `editlog blame`.
struct BlameRecorder: Sendable {
  /// The undo steps.
  private(set) var undo = UndoHistory()
  /// The version after the last edit.
  private(set) var state = TextState()
  /// For each edit that has such units: its number, the number of pieces, and for each piece the units
  /// before it, its length, and by how much its writer's number is smaller.
  private var column = ColumnWriter()
  /// The edits after which another step than the newest is the current one, and that step.
  private var moves = ColumnWriter()
  private var (lastNoted, lastMove): (SequenceNumber, SequenceNumber)
  private let first: SequenceNumber
  /// A transaction that may be an undo.
  private var pending: [Edit]?
  private var isAnnounced = false

  /// The maximum number of pieces that are spliced for one transaction. If it would be more, the blame
  /// of the whole text is written instead of what changed.
  private static let spliceMax = 20_000_000

  /// A recorder of a history. What edits up to `first` do is followed, and not recorded.
  init(after first: SequenceNumber) {
    (self.first, lastNoted, lastMove) = (first, first, 0)
  }

  /// Follows an event.
  mutating func add(_ event: HistoryEvent) {
    if case .undo = event.kind { isAnnounced = true } else { settle() }
    undo.apply(event, state)
  }

  /// Follows an edit.
  ///
  /// - Throws: `EditError` if it does not fit the text.
  mutating func add(_ edit: Edit) throws(EditError) {
    let transaction = pending?.first?.transaction
    if transaction != edit.transaction { settle() }
    let begins = edit.transaction == edit.sequence
    if pending == nil, begins, isAnnounced || edit.origin == .undo || edit.origin == .redo {
      pending = []
    }
    isAnnounced = false
    let change = try state.apply(edit.action)
    undo.apply(edit, change, state)
    if pending == nil {
      noteMove(edit)
    } else {
      pending?.append(edit)
    }
  }

  /// Notes the units of an edit that were moved. Only an insertion that is long or has a line may be one.
  private mutating func noteMove(_ edit: Edit) {
    guard let replacement = edit.action.replacement, replacement.count > 1 else { return }
    let pieces = undo.decided.provenance.blame(edit.action.editedRange)
      .filter { $0.sequence != edit.sequence }
    note(pieces, at: edit.sequence)
  }

  /// Ends a transaction that may be an undo. O(pieces between its first and its last place).
  private mutating func settle() {
    guard let edits = pending, let last = edits.last else { return }
    pending = nil
    let stepCount = undo.decided.steps.count
    // The writers of units beside all its edits stay.
    let (old, new) = edits.hull(from: undo.decided.provenance.length)
    let before = undo.decided.provenance.blame(old)
    undo.settle()
    let after = undo.decided.provenance.blame(new)
    if edits.count * max(1, before.count) > Self.spliceMax {
      note(after, at: last.sequence)
    } else {
      let spliced = edits.reduce(before) { $0.splicing($1) }
      note(after.differing(from: spliced), at: last.sequence)
    }
    let tree = undo.decided
    if tree.steps.count == stepCount, last.sequence > first {
      moves.append(last.sequence - lastMove)
      moves.append(tree.current)
      lastMove = last.sequence
    }
  }

  private mutating func note(_ pieces: [BlamePiece], at sequence: SequenceNumber) {
    guard !pieces.isEmpty, sequence > first else { return }
    column.append(sequence - lastNoted)
    lastNoted = sequence
    column.append(pieces.count)
    var end = 0
    for piece in pieces {
      column.append(piece.range.location - end)
      column.append(piece.range.length)
      column.append(sequence - min(sequence, piece.sequence))
      end = piece.range.upperBound
    }
  }

  /// The columns of pieces and of moves.
  mutating func finish() -> (blame: [UInt8], moves: [UInt8]) {
    settle()
    return (column.bytes, moves.bytes)
  }
}

extension [Edit] {
  /// The smallest range of a text of `length` UTF-16 units that holds all that the edits replace, and what
  /// it is after them. O(n).
  fileprivate func hull(from length: Int) -> (before: UTF16Range, after: UTF16Range) {
    var (lower, rest, newLength) = (length, length, length)
    for edit in self where edit.action.replacement != nil {
      lower = Swift.min(lower, edit.action.range.location)
      rest = Swift.min(rest, newLength - edit.action.range.upperBound)
      newLength += edit.action.changeInLength
    }
    lower = Swift.min(lower, length - rest, newLength - rest)
    return (UTF16Range(lower..<length - rest), UTF16Range(lower..<newLength - rest))
  }
}

extension [BlamePiece] {
  /// The pieces after an edit, whose units count as its own. O(n).
  fileprivate func splicing(_ edit: Edit) -> [BlamePiece] {
    guard let replacement = edit.action.replacement else { return self }
    let (range, change) = (edit.action.range, edit.action.changeInLength)
    var result: [BlamePiece] = []
    result.reserveCapacity(count + 2)
    func append(_ bounds: Range<Int>, _ sequence: SequenceNumber) {
      if !bounds.isEmpty {
        result.append(BlamePiece(range: UTF16Range(bounds), sequence: sequence))
      }
    }
    for piece in self {
      append(
        piece.range
          .location..<Swift.max(
            piece.range.location, Swift.min(piece.range.upperBound, range.location)),
        piece.sequence)
    }
    append(range.location..<range.location + replacement.count, edit.sequence)
    for piece in self {
      let lower = Swift.max(piece.range.location, range.upperBound)
      append(
        lower + change..<Swift.max(lower, piece.range.upperBound) + change, piece.sequence)
    }
    return result
  }

  /// The pieces without those at both ends that `other`, of the same text, has too. Where the ends of
  /// pieces differ, more may be left than differs. O(n).
  fileprivate func differing(from other: [BlamePiece]) -> [BlamePiece] {
    let (own, old) = (joined, other.joined)
    let start = zip(own, old).prefix { $0 == $1 }.count
    let rest = Swift.min(own.count, old.count) - start
    let end = zip(own.reversed(), old.reversed()).prefix(rest).prefix { $0 == $1 }.count
    return Array(own[start..<own.count - end])
  }

  /// The pieces with neighbours of one writer joined.
  private var joined: [BlamePiece] {
    reduce(into: []) { result, piece in
      if let last = result.last, last.sequence == piece.sequence {
        result[result.count - 1].range = UTF16Range(
          last.range.location..<piece.range.upperBound)
      } else {
        result.append(piece)
      }
    }
  }
}
