import EditModel

/// Joins edits to spans and writes them as columns.
struct SpanEncoder {
  /// A span that may still grow.
  private enum Run {
    case none
    /// Insertions of `size` units each. An insertion at `end` continues the run.
    case insertion(location: Int, size: Int, end: Int)
    /// One deletion. The next one shows the direction.
    case removal(location: Int, size: Int)
    case backspacing(end: Int, size: Int, location: Int)
    case deletion(location: Int, size: Int)
    /// Insertions that change attributes, all in the same way.
    case styled(location: Int, size: Int, end: Int)
  }

  private var run = Run.none
  private var count = 0
  /// The end of the span before: the offset at which the next one most likely starts.
  private var cursor = 0
  private var left = RecentPositions()
  /// The units that all edits insert, without those already in the column. They are encoded as one
  /// text, so that the halves of a surrogate pair are joined.
  private var units: [UInt16] = []
  /// The number of units in the column.
  private var encodedCount = 0
  /// The encoded attribute change of a styled run, and of the current edit.
  private var style: [UInt8] = []

  /// Adds an edit.
  @inline(__always)
  mutating func encode(_ action: EditAction, to columns: inout BlockColumns) {
    let range = action.range
    guard case .inherit = action.attributes, let text = action.replacement else {
      return encodeStyled(action, to: &columns)
    }
    if range.isEmpty, !text.isEmpty {
      insert(text, at: range.location, to: &columns)
    } else if text.isEmpty, !range.isEmpty {
      remove(range, to: &columns)
    } else {
      flush(to: &columns)
      writeRow(.replacement, at: range.location, count: 1, to: &columns)
      columns.lengths.write(count: range.length)
      columns.lengths.write(count: text.count)
      add(text, to: &columns)
      end(range, newLength: text.count, at: range.location + text.count)
    }
  }

  /// Writes the pending run, and the text.
  mutating func finish(to columns: inout BlockColumns) -> Int {
    flush(to: &columns)
    write(units[...], to: &columns)
    return encodedCount
  }

  // MARK: Text

  /// A text of more units is written to its column at once, without a second copy.
  private static let heldMax = 1 << 16

  private mutating func add(_ text: UTF16Text, to columns: inout BlockColumns) {
    // A text that begins or ends with half of a surrogate pair may be joined with another.
    guard text.count > Self.heldMax, !WTF8.isLow(text[0]), !WTF8.isHigh(text[text.count - 1])
    else { return add(text.units, to: &columns) }
    write(units[...], to: &columns)
    units = []
    columns.writeText(text)
    encodedCount += text.count
  }

  private mutating func add(_ text: [UInt16], to columns: inout BlockColumns) {
    guard text.count > Self.heldMax else { return units.append(contentsOf: text) }
    // The first half of a surrogate pair is kept back until the second follows.
    var rest = text[...]
    if let last = units.last, WTF8.isHigh(last), let first = rest.popFirst() {
      units.append(first)
    }
    // A first half at the end of the text is kept back too.
    let held = write(holdingHigh: units[...], to: &columns)
    units = Array(
      write(holdingHigh: held.isEmpty ? rest : held + rest, to: &columns))
  }

  /// Writes `text`. If it ends with the first half of a surrogate pair, that unit is returned
  /// instead of being written.
  private mutating func write(
    holdingHigh text: ArraySlice<UInt16>, to columns: inout BlockColumns
  ) -> ArraySlice<UInt16> {
    let held = text.last.map(WTF8.isHigh) == true ? 1 : 0
    write(text.dropLast(held), to: &columns)
    return text.suffix(held)
  }

  private mutating func write(_ text: ArraySlice<UInt16>, to columns: inout BlockColumns) {
    columns.writeText(text)
    encodedCount += text.count
  }

  // MARK: Runs

  @inline(__always)
  private mutating func insert(_ text: UTF16Text, at location: Int, to columns: inout BlockColumns)
  {
    let size = text.count
    if size == 1 { units.append(text.units[0]) } else { add(text, to: &columns) }
    if case .insertion(let start, size, location) = run {
      count &+= 1
      run = .insertion(location: start, size: size, end: location + size)
    } else {
      flush(to: &columns)
      count = 1
      run = .insertion(location: location, size: size, end: location + size)
    }
  }

  private mutating func remove(_ range: UTF16Range, to columns: inout BlockColumns) {
    let size = range.length
    switch run {
    case .removal(range.upperBound, size):
      run = .backspacing(end: range.upperBound + size, size: size, location: range.location)
    case .removal(range.location, size) where fits(range, size):
      run = .deletion(location: range.location, size: size)
    case .backspacing(let end, size, range.upperBound):
      run = .backspacing(end: end, size: size, location: range.location)
    case .deletion(range.location, size) where fits(range, size): break
    default:
      flush(to: &columns)
      count = 0
      run = .removal(location: range.location, size: size)
    }
    count &+= 1
  }

  /// True if one more deletion at the place makes a run that fits the longest text.
  private func fits(_ range: UTF16Range, _ size: Int) -> Bool {
    (count + 1) * size <= EditAction.textLengthMax - range.location
  }

  private mutating func encodeStyled(_ action: EditAction, to columns: inout BlockColumns) {
    var writer = ByteWriter()
    AttributeCodec.encode(action.attributes, to: &writer)
    let kind = AttributeCodec.kind(of: action.attributes)
    let change = [kind] + writer.bytes
    let (range, text) = (action.range, action.replacement)
    if let text { add(text, to: &columns) }
    if let text, range.isEmpty, !text.isEmpty, action.attributes.isShareable {
      if case .styled(let start, text.count, range.location) = run, style == change {
        run = .styled(location: start, size: text.count, end: range.location + text.count)
        count += 1
      } else {
        flush(to: &columns)
        (count, style) = (1, change)
        run = .styled(
          location: range.location, size: text.count, end: range.location + text.count)
      }
      return
    }
    flush(to: &columns)
    writeStyled(range, size: text?.count, count: 1, change, to: &columns)
    end(range, newLength: action.newLength, at: range.location + action.newLength)
  }

  // MARK: Rows

  /// Writes the current run.
  private mutating func flush(to columns: inout BlockColumns) {
    switch run {
    case .none: return
    case .insertion(let location, let size, let end):
      write(.insertionOne, or: .insertion, at: location, size, to: &columns)
      self.end(
        UTF16Range(location..<location), newLength: end - location, at: end)
    case .removal(let location, let size):
      if isBackspace(location, size) {
        write(.backspacingOne, or: .backspacing, at: location + size, size, to: &columns)
      } else {
        write(.deletionOne, or: .deletion, at: location, size, to: &columns)
      }
      end(UTF16Range(location..<location + size), newLength: 0, at: location)
    case .backspacing(let end, let size, let location):
      write(.backspacingOne, or: .backspacing, at: end, size, to: &columns)
      self.end(UTF16Range(location..<end), newLength: 0, at: location)
    case .deletion(let location, let size):
      write(.deletionOne, or: .deletion, at: location, size, to: &columns)
      end(UTF16Range(location..<location + size * count), newLength: 0, at: location)
    case .styled(let location, let size, let end):
      let range = UTF16Range(location..<location)
      writeStyled(range, size: size, count: count, style, to: &columns)
      self.end(range, newLength: end - location, at: end)
    }
    run = .none
  }

  /// The direction of a single deletion is unknown: the one that takes the fewest bytes is assumed.
  private func isBackspace(_ location: Int, _ size: Int) -> Bool {
    let end = location + size
    if end == cursor { return true }
    if location == cursor { return false }
    if left.index(of: end) != nil { return true }
    if left.index(of: location) != nil { return false }
    return abs(end - cursor) <= abs(location - cursor)
  }

  /// Records what a span replaced, and where it left the cursor.
  private mutating func end(_ range: UTF16Range, newLength: Int, at cursor: Int) {
    left.move(range.location, range.upperBound, newLength: newLength)
    self.cursor = cursor
  }

  private mutating func write(
    _ one: BlockRow.Form, or many: BlockRow.Form, at anchor: Int, _ size: Int,
    to columns: inout BlockColumns
  ) {
    writeRow(size == 1 ? one : many, at: anchor, count: count, to: &columns)
    if size != 1 { columns.lengths.write(count: size) }
  }

  private mutating func writeStyled(
    _ range: UTF16Range, size: Int?, count: Int, _ change: [UInt8],
    to columns: inout BlockColumns
  ) {
    writeRow(.styled, at: range.location, count: count, to: &columns)
    columns.lengths.write(count: range.length)
    // 0 for no replacement, else one more than its length.
    columns.lengths.write(count: size.map { $0 + 1 } ?? 0)
    columns.attributes.write(bytes: change)
  }

  /// Writes the row of a span that starts at `anchor`, and the values that do not fit into the row.
  private mutating func writeRow(
    _ form: BlockRow.Form, at anchor: Int, count: Int, to columns: inout BlockColumns
  ) {
    columns.rows.write(BlockRow(form, isMoved: anchor != cursor, count: count).byte)
    if count >= BlockRow.countLimit { columns.counts.write(count: count - BlockRow.countLimit) }
    guard anchor != cursor else { return }
    let index = left.index(of: anchor)
    let position =
      index.map(UInt64.init) ?? Int64(anchor - cursor).zigzag + UInt64(RecentPositions.count) - 1
    left.leave(cursor, for: index)
    columns.positions.write(splitVarint: position, tail: &columns.positionTails)
  }
}

extension AttributeChange {
  /// True if a run of insertions may share the change: one edit then has the same effect as all.
  var isShareable: Bool {
    switch self {
    case .inherit: false
    case .set(let runs), .merge(let runs): runs.count == 1
    case .remove: true
    }
  }
}
