import EditModel

/// Joins edits to spans and writes them as columns.
struct SpanEncoder {
  /// A span that may still grow.
  private enum Run {
    case none
    /// Insertions of `size` units each; the next belongs to it at `end`.
    case insertion(location: Int, size: Int, end: Int)
    /// One deletion, whose direction the next one shows.
    case removal(location: Int, size: Int)
    case backspacing(end: Int, size: Int, location: Int)
    case deletion(location: Int, size: Int)
    /// Insertions that change attributes, all in the same way.
    case styled(location: Int, size: Int, end: Int)
  }

  private var run = Run.none
  private var count = 0
  /// Where the span before ended: the place the next one most likely starts at.
  private var cursor = 0
  /// The units that all edits insert. Encoded as one text, so that halves of a pair meet.
  private var units: [UInt16] = []
  /// The attribute change of a styled run, encoded, and of the edit at hand.
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
      let delta = range.location - cursor
      columns.rows.write(BlockRow(.replacement, isMoved: delta != 0, count: 1).byte)
      writePosition(delta, to: &columns)
      columns.lengths.write(count: range.length)
      columns.lengths.write(count: text.count)
      units.append(contentsOf: text.units)
      cursor = range.location + text.count
    }
  }

  /// Writes what is not yet written, and the text.
  mutating func finish(to columns: inout BlockColumns) -> Int {
    flush(to: &columns)
    units.withUnsafeBufferPointer { WTF8.encode($0, to: &columns.text) }
    return units.count
  }

  // MARK: Runs

  @inline(__always)
  private mutating func insert(_ text: UTF16Text, at location: Int, to columns: inout BlockColumns)
  {
    let size = text.count
    if size == 1 { units.append(text.units[0]) } else { units.append(contentsOf: text.units) }
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

  /// True where one more deletion at the place leaves a run that fits the longest text.
  private func fits(_ range: UTF16Range, _ size: Int) -> Bool {
    (count + 1) * size <= EditAction.textLengthMax - range.location
  }

  private mutating func encodeStyled(_ action: EditAction, to columns: inout BlockColumns) {
    var writer = ByteWriter()
    AttributeCodec.encode(action.attributes, to: &writer)
    let kind = AttributeCodec.kind(of: action.attributes)
    let change = [kind] + writer.bytes
    let (range, text) = (action.range, action.replacement)
    if let text { units.append(contentsOf: text.units) }
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
    cursor = range.location + action.newLength
  }

  // MARK: Rows

  /// Writes the run at hand.
  private mutating func flush(to columns: inout BlockColumns) {
    switch run {
    case .none: return
    case .insertion(let location, let size, let end):
      write(.insertionOne, or: .insertion, location - cursor, size, to: &columns)
      cursor = end
    case .removal(let location, let size):
      // Nobody knows which key it was; take the one that leaves the shorter way.
      if abs(location + size - cursor) <= abs(location - cursor) {
        write(.backspacingOne, or: .backspacing, location + size - cursor, size, to: &columns)
      } else {
        write(.deletionOne, or: .deletion, location - cursor, size, to: &columns)
      }
      cursor = location
    case .backspacing(let end, let size, let location):
      write(.backspacingOne, or: .backspacing, end - cursor, size, to: &columns)
      cursor = location
    case .deletion(let location, let size):
      write(.deletionOne, or: .deletion, location - cursor, size, to: &columns)
      cursor = location
    case .styled(let location, let size, let end):
      writeStyled(
        UTF16Range(location..<location), size: size, count: count, style, to: &columns)
      cursor = end
    }
    run = .none
  }

  private func write(
    _ one: BlockRow.Form, or many: BlockRow.Form, _ delta: Int, _ size: Int,
    to columns: inout BlockColumns
  ) {
    let row = BlockRow(size == 1 ? one : many, isMoved: delta != 0, count: count)
    columns.rows.write(row.byte)
    writeCount(count, to: &columns)
    writePosition(delta, to: &columns)
    if size != 1 { columns.lengths.write(count: size) }
  }

  private func writeStyled(
    _ range: UTF16Range, size: Int?, count: Int, _ change: [UInt8],
    to columns: inout BlockColumns
  ) {
    let delta = range.location - cursor
    columns.rows.write(BlockRow(.styled, isMoved: delta != 0, count: count).byte)
    writeCount(count, to: &columns)
    writePosition(delta, to: &columns)
    columns.lengths.write(count: range.length)
    // 0 for no replacement, else one more than its length.
    columns.lengths.write(count: size.map { $0 + 1 } ?? 0)
    columns.attributes.write(bytes: change)
  }

  private func writeCount(_ count: Int, to columns: inout BlockColumns) {
    if count >= BlockRow.countLimit { columns.counts.write(count: count - BlockRow.countLimit) }
  }

  private func writePosition(_ delta: Int, to columns: inout BlockColumns) {
    guard delta != 0 else { return }
    columns.positions.write(splitVarint: Int64(delta).zigzag, tail: &columns.positionTails)
  }
}

extension AttributeChange {
  /// True where a run of insertions may share the change: one edit then does what all do.
  var isShareable: Bool {
    switch self {
    case .inherit: false
    case .set(let runs), .merge(let runs): runs.count == 1
    case .remove: true
    }
  }
}
