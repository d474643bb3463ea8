import EditModel

/// Reads the columns that `SpanEncoder` wrote.
struct SpanDecoder {
  private var rows: ByteReader
  private var counts: ByteReader
  private var positions: ByteReader
  private var positionTails: ByteReader
  private var lengths: ByteReader
  private var attributes: ByteReader
  private var text: ByteReader
  /// The units that all edits insert, or none if the columns are without their text.
  private let units: [UInt16]
  /// The number of units that all edits insert, and of those used so far.
  private let unitCount: Int
  private var used = 0
  private var cursor = 0
  private var left = RecentPositions()
  private var next: SequenceNumber
  private var remaining: Int

  /// Decodes `editCount` edits that insert `unitCount` units. If the columns are without their text,
  /// the spans have no units.
  init(
    _ columns: BlockColumnReaders, first: SequenceNumber, editCount: Int, unitCount: Int
  ) throws(CodecError) {
    rows = columns[.rows]
    counts = columns[.counts]
    positions = columns[.positions]
    positionTails = columns[.positionTails]
    lengths = columns[.lengths]
    attributes = columns[.attributes]
    text = columns[.text]
    (next, remaining) = (first, editCount)
    self.unitCount = unitCount
    units = columns.hasText ? try WTF8.decode(unitCount, from: &text) : []
  }

  /// The number of remaining spans. Each has a byte in the column of rows.
  var spanCount: Int { rows.remaining }

  /// The next span; nil after the last.
  mutating func decodeSpan() throws(CodecError) -> EditSpan? {
    guard !rows.isAtEnd else { return nil }
    let place = rows
    let row = BlockRow(byte: try rows.readByte())
    let count =
      row.count < BlockRow.countLimit
      ? row.count : try counts.readCount(max: BlockCodec.editCountMax) + BlockRow.countLimit
    guard count <= remaining else { throw place.error(.mismatch) }
    let anchor = row.isMoved ? try readAnchor() : cursor
    defer {
      next &+= UInt64(count)
      remaining -= count
    }
    switch row.form {
    case .insertionOne: return try insertion(anchor, count, 1)
    case .insertion: return try insertion(anchor, count, readSize())
    case .backspacingOne: return try removal(anchor - count, anchor, count, .backspacing)
    case .backspacing:
      return try removal(anchor - count * readSize(), anchor, count, .backspacing)
    case .deletionOne: return try removal(anchor, anchor + count, count, .deletion)
    case .deletion: return try removal(anchor, anchor + count * readSize(), count, .deletion)
    case .replacement: return try replacement(anchor, count)
    case .styled: return try styled(anchor, count)
    }
  }

  /// - Throws: `CodecError` if the columns hold more than the spans took from them.
  func expectEnd() throws(CodecError) {
    guard remaining == 0, used == unitCount else { throw rows.error(.mismatch) }
    for reader in [rows, counts, positions, positionTails, lengths, attributes, text] {
      try reader.expectEnd()
    }
  }

  // MARK: Forms

  @inline(__always)
  private mutating func insertion(
    _ location: Int, _ count: Int, _ size: Int
  ) throws(CodecError) -> EditSpan {
    let inserted = try take(count * size)
    let newLength = count * size
    guard location <= EditAction.textLengthMax - newLength else { throw rows.error(.action) }
    end(location, location, newLength: newLength, at: location + newLength)
    return EditSpan(
      kind: count == 1 ? .single : .insertion, first: next, count: count,
      range: UTF16Range(location..<location), units: inserted, attributes: .inherit)
  }

  @inline(__always)
  private mutating func removal(
    _ lower: Int, _ upper: Int, _ count: Int, _ kind: EditSpan.Kind
  ) throws(CodecError) -> EditSpan {
    guard lower >= 0, upper <= EditAction.textLengthMax else { throw rows.error(.action) }
    end(lower, upper, newLength: 0, at: lower)
    return EditSpan(
      kind: count == 1 ? .single : kind, first: next, count: count,
      range: UTF16Range(lower..<upper), units: [], attributes: .inherit)
  }

  private mutating func replacement(
    _ location: Int, _ count: Int
  ) throws(CodecError) -> EditSpan {
    guard count == 1 else { throw rows.error(.action) }
    let length = try lengths.readCount(max: EditAction.textLengthMax - location)
    let newLength = try lengths.readCount(max: EditAction.textLengthMax - location)
    guard (length == 0) == (newLength == 0) else { throw rows.error(.overlong) }
    end(location, location + length, newLength: newLength, at: location + newLength)
    return EditSpan(
      kind: .single, first: next, count: 1, range: UTF16Range(location..<location + length),
      units: try take(newLength), attributes: .inherit)
  }

  private mutating func styled(
    _ location: Int, _ count: Int
  ) throws(CodecError) -> EditSpan {
    let place = rows
    let length = try lengths.readCount(max: EditAction.textLengthMax - location)
    let size = try lengths.readCount(max: EditAction.textLengthMax - location + 1) - 1
    let kind = try attributes.readByte()
    guard kind != 0 || size < 0 else { throw attributes.error(.unknown) }
    let change = try AttributeCodec.decodeChange(kind: kind, from: &attributes)
    let range = UTF16Range(location..<location + length)
    // Only a block without attributes is read without its text.
    guard !units.isEmpty || unitCount == 0 else { throw place.error(.mismatch) }
    let inserted = size < 0 ? nil : try take(size * count)
    guard count == 1 || (length == 0 && size > 0 && change.isShareable),
      location + (inserted?.count ?? 0) <= EditAction.textLengthMax
    else { throw place.error(.action) }
    // All edits have the same form, so checking the first is enough.
    let text = inserted.map { UTF16Text(units: Array($0.prefix(size))) }
    _ = try RecordCodec.makeAction(range, text, change, at: place)
    let newLength = inserted?.count ?? length
    end(location, location + length, newLength: newLength, at: location + newLength)
    return EditSpan(
      kind: count == 1 ? .single : .insertion, first: next, count: count, range: range,
      units: inserted, attributes: change)
  }

  // MARK: Parts

  /// The start of a span that does not start at the cursor.
  @inline(__always)
  private mutating func readAnchor() throws(CodecError) -> Int {
    let place = positions
    let position = try positions.readSplitVarint(tail: &positionTails)
    let index = position < RecentPositions.count ? Int(position) : nil
    let anchor: Int?
    if let index {
      anchor = left.place(at: index)
    } else {
      let delta = Int64(zigzag: position - UInt64(RecentPositions.count) + 1)
      let sum = Int64(cursor).addingReportingOverflow(delta)
      anchor = sum.overflow ? nil : Int(exactly: sum.partialValue)
    }
    // A place has one encoding: none if it is the cursor, else the latest recent position that is
    // equal, else the distance.
    guard let anchor, (0...EditAction.textLengthMax).contains(anchor), anchor != cursor,
      left.index(of: anchor) == index
    else { throw place.error(.action) }
    left.leave(cursor, for: index)
    return anchor
  }

  /// Records what a span replaces, and where it leaves the cursor.
  @inline(__always)
  private mutating func end(_ lower: Int, _ upper: Int, newLength: Int, at cursor: Int) {
    left.move(lower, upper, newLength: newLength)
    self.cursor = cursor
  }

  /// The units of each edit of a run, if it is not 1.
  private mutating func readSize() throws(CodecError) -> Int {
    let place = lengths
    let size = try lengths.readCount(max: EditAction.textLengthMax)
    guard size > 1 else { throw place.error(.overlong) }
    return size
  }

  /// The next `count` of the inserted units.
  @inline(__always)
  private mutating func take(_ count: Int) throws(CodecError) -> ArraySlice<UInt16> {
    guard count <= unitCount - used else { throw rows.error(.mismatch) }
    defer { used += count }
    return units.isEmpty ? [] : units[used..<used + count]
  }
}
