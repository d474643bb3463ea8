import EditModel
public import TextState

extension UndoHistory: StoredProjection {
  /// `undo`.
  public static let name = "undo"

  /// True if both have the same grouping.
  public func matches(settingsOf stored: UndoHistory) -> Bool { grouping == stored.grouping }

  /// True if the units make a text of the same length.
  public func fits(_ state: TextState) -> Bool {
    let pendingChange = pending?.edits.reduce(0) { $0 + $1.edit.action.changeInLength } ?? 0
    return decided.provenance.length + pendingChange == state.length
  }

  /// Appends the tree and the transaction that may be an undo. O(steps, and runs and units of the
  /// provenance).
  public func encode(to encoder: inout ValueEncoder) {
    decided.encode(to: &encoder)
    announced.encode(to: &encoder)
    pending.encode(to: &encoder)
  }

  /// Reads a history.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    decided = try UndoTree(from: &decoder)
    announced = try AnnouncedUndo?(from: &decoder)
    pending = try PendingUndo?(from: &decoder)
    guard let pending else { return }
    // The transaction may have to be applied to the units.
    var length = decided.provenance.length
    for edit in pending.edits.map(\.edit) {
      let range = edit.action.range
      guard range.upperBound <= length, edit.action.newLength <= EditAction.textLengthMax - length
      else { throw decoder.error("an undo is outside the text") }
      length += edit.action.changeInLength
    }
  }
}

extension UndoTree: StoredValue {
  /// Appends the steps, the current one and the units.
  public func encode(to encoder: inout ValueEncoder) {
    boundaries.encode(to: &encoder)
    nodes.encode(to: &encoder)
    current.encode(to: &encoder)
    provenance.encode(to: &encoder)
    revivals.encode(to: &encoder)
    skipped.encode(to: &encoder)
  }

  /// Reads a tree.
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
        nodes[number].sequences.lowerBound > nodes[number - 1].sequences.upperBound
      else { throw decoder.error("undo step \(number) has no step before it") }
      nodes[parent].children.append(number)
    }
    current = try decoder.decodeCount()
    guard nodes.indices.contains(current) else { throw decoder.error("an undo step is missing") }
    provenance = try Provenance(from: &decoder)
    revivals = try ParagraphRevivals(from: &decoder)
    skipped = try ClosedRange<SequenceNumber>?(from: &decoder)
  }
}

extension AnnouncedUndo: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    change.encode(to: &encoder)
    target.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    change = try UndoneChange(from: &decoder)
    target = try SequenceNumber?(from: &decoder)
  }
}

extension PendingUndo: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    announced.encode(to: &encoder)
    encoder.encode(unsigned: UInt64(edits.count))
    for placed in edits {
      let edit = placed.edit
      edit.sequence.encode(to: &encoder)
      edit.transaction.encode(to: &encoder)
      edit.action.range.encode(to: &encoder)
      edit.action.replacement.encode(to: &encoder)
      edit.action.attributes.encode(to: &encoder)
      edit.origin.encode(to: &encoder)
      edit.author.encode(to: &encoder)
      edit.session.encode(to: &encoder)
      edit.time.encode(to: &encoder)
      placed.lengthAfter.encode(to: &encoder)
      placed.newRuns.encode(to: &encoder)
      placed.removed.encode(to: &encoder)
      placed.inserted.encode(to: &encoder)
      placed.changesText.encode(to: &encoder)
    }
    places.encode(to: &encoder)
  }

  /// Reads a transaction.
  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(announced: try AnnouncedUndo?(from: &decoder))
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let sequence = try SequenceNumber(from: &decoder)
      let transaction = try SequenceNumber(from: &decoder)
      let range = try UTF16Range(from: &decoder)
      let replacement = try UTF16Text?(from: &decoder)
      let attributes = try AttributeChange(from: &decoder)
      let origin = try Origin(from: &decoder)
      let author = try String?(from: &decoder)
      let session = try SessionID?(from: &decoder)
      let time = try Timestamp(from: &decoder)
      guard
        let action = try? EditAction(
          range: range, replacement: replacement, attributes: attributes)
      else { throw decoder.error("an edit changes nothing") }
      let edit = Edit(
        sequence: sequence, action: action, origin: origin, transaction: transaction,
        author: author, session: session, time: time)
      let lengthAfter = try decoder.decodeCount()
      let newRuns = try [AttributeRun]?(from: &decoder)
      if let newRuns {
        guard newRuns.allSatisfy({ (0...action.newLength).contains($0.length) }),
          newRuns.reduce(0, { $0 + $1.length }) == action.newLength, replacement != nil
        else { throw decoder.error("attribute runs do not cover a replacement") }
      }
      let removed = try [ParagraphDescriptor](from: &decoder)
      guard removed.allSatisfy({ $0.range.upperBound <= EditAction.textLengthMax }) else {
        throw decoder.error("a removed paragraph is outside the text")
      }
      edits.append(
        PlacedEdit(
          edit: edit, lengthAfter: lengthAfter, newRuns: newRuns,
          removed: removed,
          inserted: try [ParagraphID](from: &decoder), changesText: try Bool(from: &decoder)))
    }
    storedPlaces = try [ParagraphDescriptor](from: &decoder)
    guard !edits.isEmpty else { throw decoder.error("an undo has no edits") }
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
    selection.encode(to: &encoder)
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
    selection = try UndoneChange?(from: &decoder)
    redoChild = try Int?(from: &decoder)
  }
}
