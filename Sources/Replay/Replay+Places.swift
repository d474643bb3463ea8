import EditLog
import EditModel
import Projections
import TextState

// Points that are counted: saves, sessions and undo steps.
extension Replay {
  /// The versions at which there are events that `isPlace` selects, in order.
  func eventPlaces(
    _ isPlace: (HistoryEvent.Kind) -> Bool
  ) throws(ReplayError) -> [SequenceNumber] {
    do { return try history.events().filter { isPlace($0.kind) }.map(\.after) } catch {
      throw .log(error)
    }
  }

  /// The place of this number: 1 is the first, -1 the last.
  func place(
    _ number: Int, among places: [SequenceNumber], _ kind: ReplayError.Place
  ) throws(ReplayError) -> SequenceNumber {
    let index = number > 0 ? number - 1 : places.count + number
    guard places.indices.contains(index) else {
      throw .unknownPlace(kind, number: number, count: places.count)
    }
    return places[index]
  }

  /// The version after undo step `number`, or before the last `-number` steps.
  func sequence(ofUndo number: Int, pass: Pass) throws -> SequenceNumber {
    let undo = try undoTree(pass)
    if number > 0 {
      guard let step = undo[number] else {
        throw ReplayError.unknownPlace(.undo, number: number, count: undo.steps.count)
      }
      return step.sequences.upperBound
    }
    // The steps that can be taken back, the newest first.
    var (steps, next) = ([UndoStep](), undo.undoable)
    while let step = next, step.parent != nil, steps.count < number.magnitude {
      guard step.origin != .load || undo.grouping.undoesLoad else { break }
      steps.append(step)
      next = step.parent.flatMap { undo[$0] }
    }
    guard steps.count == number.magnitude, let first = steps.last else {
      throw ReplayError.unknownPlace(.undo, number: number, count: steps.count)
    }
    return first.sequences.lowerBound - 1
  }

  private func undoTree(_ pass: Pass) throws -> UndoTree {
    let runner = try fold([UndoHistory()], through: history.lastSequence, pass: pass)
    return (runner[UndoHistory.self] ?? UndoHistory()).tree
  }
}
