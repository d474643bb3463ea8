import EditModel

extension UndoHistory: StoredProjection {
  /// `undo`.
  public static let name = "undo"

  /// True if both have the same grouping.
  public func matches(settingsOf stored: UndoHistory) -> Bool { grouping == stored.grouping }

  /// Appends the steps and the current one. O(steps).
  public func encode(to encoder: inout ValueEncoder) {
    boundaries.encode(to: &encoder)
    nodes.encode(to: &encoder)
    current.encode(to: &encoder)
    move.encode(to: &encoder)
  }

  /// Reads a history.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    boundaries = try UndoBoundaries(from: &decoder)
    nodes = try [UndoStep](from: &decoder)
    guard let root = nodes.first, root.parent == nil else {
      throw decoder.error("the undo steps have no root")
    }
    for number in nodes.indices {
      nodes[number].number = number
      if let redoChild = nodes[number].redoChild {
        guard nodes.indices.contains(redoChild), nodes[redoChild].parent == number else {
          throw decoder.error("undo step \(redoChild) is no child of \(number)")
        }
      }
      guard number > 0 else { continue }
      guard let parent = nodes[number].parent, (0..<number).contains(parent),
        nodes[number].sequences.lowerBound > nodes[number - 1].sequences.lowerBound
      else { throw decoder.error("undo step \(number) has no step before it") }
      nodes[parent].children.append(number)
    }
    current = try decoder.decodeCount()
    guard nodes.indices.contains(current) else { throw decoder.error("an undo step is missing") }
    move = try UndoMove?(from: &decoder)
    guard let move else { return }
    self.move?.step.number = move.isStep ? current : nodes.count
    guard isSound(move) else { throw decoder.error("an undo leads nowhere") }
  }

  /// True if the steps of a move exist. A move that is a step is the last one, and the current one.
  private func isSound(_ move: UndoMove) -> Bool {
    guard nodes.indices.contains(move.target), let start = move.step.parent,
      nodes.indices.contains(start), move.step.sequences.lowerBound > root.sequences.lowerBound
    else { return false }
    if let redoChild = move.redoChild, !nodes[start].children.contains(redoChild) { return false }
    return !move.isStep
      || current == nodes.count - 1 && nodes[current].parent == start
        && move.redoChild != current && move.target != current
  }
}

extension UndoMove: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    target.encode(to: &encoder)
    step.encode(to: &encoder)
    isStep.encode(to: &encoder)
    redoChild.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    target = try decoder.decodeCount()
    step = try UndoStep(from: &decoder)
    isStep = try Bool(from: &decoder)
    redoChild = try Int?(from: &decoder)
  }
}

extension UndoStep: StoredValue {
  /// Appends all but the number and the children, which follow from the place and the parents.
  public func encode(to encoder: inout ValueEncoder) {
    parent.encode(to: &encoder)
    sequences.encode(to: &encoder)
    editCount.encode(to: &encoder)
    insertedUnits.encode(to: &encoder)
    deletedUnits.encode(to: &encoder)
    origin.encode(to: &encoder)
    author.encode(to: &encoder)
    firstTime.encode(to: &encoder)
    lastTime.encode(to: &encoder)
    lengthAfter.encode(to: &encoder)
    redoChild.encode(to: &encoder)
  }

  /// Reads a step without its number and its children.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    number = 0
    parent = try Int?(from: &decoder)
    sequences = try ClosedRange<SequenceNumber>(from: &decoder)
    editCount = try decoder.decodeCount()
    insertedUnits = try decoder.decodeCount()
    deletedUnits = try decoder.decodeCount()
    origin = try Origin?(from: &decoder)
    author = try String?(from: &decoder)
    firstTime = try Timestamp?(from: &decoder)
    lastTime = try Timestamp?(from: &decoder)
    lengthAfter = try decoder.decodeCount()
    redoChild = try Int?(from: &decoder)
  }
}
