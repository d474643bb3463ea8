import EditModel
import TextState

extension Provenance: StoredValue {
  /// Appends the order, the text, the insertions, the deletions and the undone edits. O(runs + units).
  public func encode(to encoder: inout ValueEncoder) {
    encoder.encode(UTF16Text(compacting: text[0..<text.count]))
    encoder.encode(unsigned: UInt64(order.runCount))
    var next = 0
    order.forEachRun { units, isVisible in
      encoder.encode(signed: Int64(units.lowerBound - next))
      encoder.encode(unsigned: UInt64(units.count) << 1 | (isVisible ? 1 : 0))
      next = units.upperBound
    }
    insertions.encode(to: &encoder)
    deletions.encode(to: &encoder)
    undone.encode(to: &encoder)
    styles.encode(to: &encoder)
    flips.encode(to: &encoder)
    moves.encode(to: &encoder)
  }

  /// Reads a provenance. O(n log n) of the runs, O(n) of the units.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let units = try decoder.decodeText()
    text.append(units)
    var runs: [(units: Range<Int>, isVisible: Bool)] = []
    var next = 0
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let lower = next.addingReportingOverflow(Int(try decoder.decodeSigned()))
      let lengthAndFlag = try decoder.decodeUnsigned()
      let length = Int(lengthAndFlag >> 1)
      guard !lower.overflow, lower.partialValue >= 0, length > 0,
        lower.partialValue <= units.count, length <= units.count - lower.partialValue
      else { throw decoder.error("a run of units is out of range") }
      next = lower.partialValue + length
      runs.append((lower.partialValue..<next, lengthAndFlag & 1 == 1))
    }
    next = 0
    for run in runs.sorted(by: { $0.units.lowerBound < $1.units.lowerBound }) {
      guard run.units.lowerBound == next else { throw decoder.error("units are missing or twice") }
      next = run.units.upperBound
    }
    guard next == units.count else { throw decoder.error("units are missing") }
    insertions = try InsertionLog(from: &decoder)
    deletions = try DeletionLog(from: &decoder)
    undone = try SequenceSet(from: &decoder)
    styles = try StyleLog(from: &decoder)
    flips = try UnitFlips(from: &decoder)
    moves = try UnitMoves(from: &decoder)
    guard styles.records.allSatisfy({ $0.units.upperBound <= units.count }),
      flips.flips.allSatisfy({ $0.units.upperBound <= units.count }),
      moves.moves.allSatisfy({ $0.units.upperBound <= units.count }),
      moves.recent.allSatisfy({ $0.units.allSatisfy { $0.upperBound <= units.count } })
    else { throw decoder.error("a style, a move or an undo of units that are missing") }
    guard insertions.unitCount == units.count else {
      throw decoder.error("units without an edit that inserted them")
    }
    for run in deletions.runs {
      guard run.units.upperBound <= units.count else {
        throw decoder.error("a deletion is out of range")
      }
    }
    order = UnitOrder(runs, count: units.count)
    let shown = NumberRanges(runs.compactMap { $0.isVisible ? $0.units : nil })
    guard shown == visible(in: 0..<units.count, undone: undone, deleters) else {
      throw decoder.error("other units are visible than the edits say")
    }
  }
}

extension StyleLog: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(records.count))
    for record in records {
      encoder.encode(unsigned: record.sequence)
      record.units.encode(to: &encoder)
      switch record.style {
      case .set(let attributes):
        encoder.encode(byte: 0)
        attributes.encode(to: &encoder)
      case .merge(let attributes):
        encoder.encode(byte: 1)
        attributes.encode(to: &encoder)
      case .remove(let names):
        encoder.encode(byte: 2)
        names.encode(to: &encoder)
      }
    }
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let sequence = try decoder.decodeUnsigned()
      let units = try Range(from: &decoder)
      let style: Style =
        switch try decoder.decodeByte() {
        case 0: .set(try AttributeSet(from: &decoder))
        case 1: .merge(try AttributeSet(from: &decoder))
        case 2: .remove(try [String](from: &decoder))
        default: throw decoder.error("a style is unknown")
        }
      append(style, to: units, by: sequence)
    }
  }
}

extension UnitFlips: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(flips.count))
    for flip in flips {
      flip.units.encode(to: &encoder)
      encoder.encode(unsigned: flip.sequence)
      flip.isVisible.encode(to: &encoder)
    }
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      append(
        try Range(from: &decoder), by: try decoder.decodeUnsigned(),
        isVisible: try Bool(from: &decoder))
    }
  }
}

extension UnitMoves: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(moves.count))
    for move in moves {
      move.units.encode(to: &encoder)
      encoder.encode(signed: Int64(move.source))
    }
    encoder.encode(unsigned: UInt64(recent.count))
    for removal in recent {
      removal.time.encode(to: &encoder)
      removal.units.encode(to: &encoder)
      UTF16Text(units: removal.text).encode(to: &encoder)
    }
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let units = try Range(from: &decoder)
      let source = try decoder.decodeCount()
      // What was typed is older than what was pasted.
      guard !units.isEmpty, units.lowerBound >= moves.last?.units.upperBound ?? 0,
        source + units.count <= units.lowerBound
      else { throw decoder.error("a move is out of range") }
      append(Move(units: units, source: source))
    }
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let time = try Timestamp(from: &decoder)
      let units = try [Range<Int>](from: &decoder)
      let text = try decoder.decodeText().units
      // Few numbers of at most the size of the text do not overflow.
      guard units.count <= text.count, units.allSatisfy({ $0.count <= text.count }),
        units.reduce(0, { $0 + $1.count }) == text.count, recent.count < rule.removalCountMax
      else { throw decoder.error("a removal is out of range") }
      noteRemoval(units, text, at: time)
    }
  }
}

extension Range<Int>: StoredValue {
  /// Appends the lower bound and the number of elements.
  public func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(lowerBound))
    encoder.encode(unsigned: UInt64(count))
  }

  /// Reads a range of numbers from 0 on.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let (lower, count) = (try decoder.decodeUnsigned(), try decoder.decodeUnsigned())
    guard lower <= UInt64(ValueDecoder.countMax), count <= UInt64(ValueDecoder.countMax) else {
      throw decoder.error("a range is out of range")
    }
    self = Int(lower)..<Int(lower + count)
  }
}

extension InsertionLog: StoredValue {
  /// Appends the runs, each relative to the one before. O(runs).
  func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(runs.count))
    var next: SequenceNumber = 0
    for run in runs {
      encoder.encode(unsigned: run.firstSequence - next)
      encoder.encode(unsigned: UInt64(run.unitsPerEdit))
      encoder.encode(unsigned: UInt64(run.editCount))
      next = run.sequences.upperBound
    }
  }

  /// Reads a log.
  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    var next: SequenceNumber = 0
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let first = next.addingReportingOverflow(try decoder.decodeUnsigned())
      let unitsPerEdit = Int(clamping: try decoder.decodeUnsigned())
      let editCount = Int(clamping: try decoder.decodeUnsigned())
      let units = unitsPerEdit.multipliedReportingOverflow(by: editCount)
      guard !first.overflow, unitsPerEdit > 0, editCount > 0, !units.overflow,
        units.partialValue <= ValueDecoder.countMax - unitCount,
        SequenceNumber(editCount) <= ValueDecoder.sequenceMax,
        first.partialValue <= ValueDecoder.sequenceMax - SequenceNumber(editCount),
        runs.isEmpty || first.partialValue > next
      else { throw decoder.error("an insertion is out of range") }
      append(
        Run(
          firstUnit: unitCount, firstSequence: first.partialValue, unitsPerEdit: unitsPerEdit,
          editCount: editCount))
      next = first.partialValue + SequenceNumber(editCount - 1)
    }
  }
}

extension DeletionLog: StoredValue {
  /// Appends the runs, each relative to the one before. O(runs).
  func encode(to encoder: inout ValueEncoder) {
    encoder.encode(unsigned: UInt64(runs.count))
    var (sequence, unit): (SequenceNumber, Int) = (0, 0)
    for run in runs {
      encoder.encode(unsigned: run.firstSequence - sequence)
      encoder.encode(signed: Int64(run.firstUnit - unit))
      encoder.encode(unsigned: UInt64(run.unitCount))
      encoder.encode(signed: Int64(run.step))
      (sequence, unit) = (run.firstSequence, run.firstUnit)
    }
  }

  /// Reads a log.
  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    var (sequence, unit): (SequenceNumber, Int) = (0, 0)
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let first = sequence.addingReportingOverflow(try decoder.decodeUnsigned())
      let place = unit.addingReportingOverflow(Int(try decoder.decodeSigned()))
      let count = Int(clamping: try decoder.decodeUnsigned())
      let step = Int(try decoder.decodeSigned())
      guard !first.overflow, first.partialValue <= ValueDecoder.sequenceMax, !place.overflow,
        (0...ValueDecoder.countMax).contains(place.partialValue),
        (1...ValueDecoder.countMax).contains(count), (-1...1).contains(step),
        step >= 0 || count <= place.partialValue + 1,
        runs.last.map({ first.partialValue >= $0.lastSequence }) ?? true
      else { throw decoder.error("a deletion is out of range") }
      (sequence, unit) = (first.partialValue, place.partialValue)
      append(Run(firstSequence: sequence, firstUnit: unit, unitCount: count, step: step))
    }
  }
}
