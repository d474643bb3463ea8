import EditModel

/// The columns of a block, in the order in which they are stored: the times first, then the usually
/// short ones, and the text last.
enum BlockColumn: Int, CaseIterable {
  case times, timeBits
  // Who, when and why: written by `ProvenanceEncoder`.
  case origins, authors, sessions, counters, transactions, clientRuns, clientTimes
  // Only in a block of which an edit has a selection.
  case selections
  // Events, as records: their metas, and the labels of marks.
  case events, labels
  // What and where: written by `SpanEncoder`.
  case counts, lengths, attributes, positionTails, rows, positions
  case text
}

/// The columns of a block being written.
struct BlockColumns: ~Copyable {
  var times = ByteWriter()
  var timeBits = ByteWriter()
  var origins = ByteWriter()
  var authors = ByteWriter()
  var sessions = ByteWriter()
  var counters = ByteWriter()
  var transactions = ByteWriter()
  var clientRuns = ByteWriter()
  var clientTimes = ByteWriter()
  var selections = ByteWriter()
  var events = ByteWriter()
  var labels = ByteWriter()
  var counts = ByteWriter()
  var lengths = ByteWriter()
  var attributes = ByteWriter()
  var positionTails = ByteWriter()
  var rows = ByteWriter()
  var positions = ByteWriter()
  private var text = ByteWriter()
  /// The text and the size of its encoding, if it is one long text. `text` is then empty.
  private(set) var longText: (text: UTF16Text, size: Int)?

  /// The size of the text in bytes.
  var textSize: Int { longText?.size ?? text.count }

  /// Adds units to the text.
  mutating func writeText(_ units: ArraySlice<UInt16>) {
    if units.isEmpty { return }
    encodeLongText()
    units.withUnsafeBufferPointer { WTF8.encode($0, to: &text) }
  }

  /// Adds a long text that does not begin or end with half of a surrogate pair.
  mutating func writeText(_ long: UTF16Text) {
    if textSize == 0 {
      longText = (long, WTF8.size(of: long))
    } else {
      encodeLongText()
      WTF8.encode(long, to: &text)
    }
  }

  /// Encodes `longText`.
  mutating func encodeLongText() {
    guard let long = longText.take() else { return }
    text.reserve(long.size)
    WTF8.encode(long.text, to: &text)
  }

  /// Calls `body` with the bytes of the text, in pieces.
  func forEachTextPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard let longText else { return text.withUnsafeBytes(body) }
    var stream = WTF8Stream(longText.text)
    stream.forEach(body)
  }

  /// True if an edit has a selection. Otherwise the block has no column of selections.
  var hasSelections: Bool { selections.count > 0 }

  /// The sizes of the columns in bytes, in the order in which they are stored.
  var sizes: [Int] {
    var sizes: [Int] = []
    forEach { sizes.append($0.count) }
    sizes[sizes.count - 1] = textSize
    return sizes
  }

  /// Calls `body` with the bytes of each column, in the order in which they are stored. The text
  /// column is empty if there is a `longText`.
  private func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
    for column in BlockColumn.allCases {
      switch column {
      case .times: times.withUnsafeBytes(body)
      case .timeBits: timeBits.withUnsafeBytes(body)
      case .origins: origins.withUnsafeBytes(body)
      case .authors: authors.withUnsafeBytes(body)
      case .sessions: sessions.withUnsafeBytes(body)
      case .counters: counters.withUnsafeBytes(body)
      case .transactions: transactions.withUnsafeBytes(body)
      case .clientRuns: clientRuns.withUnsafeBytes(body)
      case .clientTimes: clientTimes.withUnsafeBytes(body)
      case .selections: if hasSelections { selections.withUnsafeBytes(body) }
      case .events: events.withUnsafeBytes(body)
      case .labels: labels.withUnsafeBytes(body)
      case .counts: counts.withUnsafeBytes(body)
      case .lengths: lengths.withUnsafeBytes(body)
      case .attributes: attributes.withUnsafeBytes(body)
      case .positionTails: positionTails.withUnsafeBytes(body)
      case .rows: rows.withUnsafeBytes(body)
      case .positions: positions.withUnsafeBytes(body)
      case .text: text.withUnsafeBytes(body)
      }
    }
  }

  /// The bytes of `preface` and of the columns in order, and the end of each column. The text, which
  /// is the last column, is left out unless `hasText`.
  ///
  /// - Precondition: `hasText` is false, or there is no `longText`.
  func joined(
    after preface: borrowing ByteWriter, hasText: Bool = true
  ) -> (bytes: [UInt8], ends: [Int]) {
    precondition(!hasText || longText == nil)
    var size = preface.count
    var ends: [Int] = []
    for columnSize in sizes.dropLast(hasText ? 0 : 1) {
      size += columnSize
      ends.append(size)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    preface.withUnsafeBytes { bytes.append(contentsOf: $0) }
    forEach { column in
      guard bytes.count < size else { return }
      bytes.append(contentsOf: column)
    }
    return (bytes, ends)
  }
}

/// Readers of the columns of a block.
struct BlockColumnReaders {
  private var readers: [ByteReader]
  /// False if the bytes do not contain the text. Its column is then empty.
  let hasText: Bool

  /// Reads the sizes of the columns and then the columns, to the end of `reader`. If `textSize` is not
  /// nil, the bytes end before the text, whose size must be `textSize` bytes. The column of selections
  /// is there if `hasSelections`.
  init(
    _ reader: inout ByteReader, withoutTextOf textSize: Int? = nil, hasSelections: Bool
  ) throws(CodecError) {
    var sizes = try Self.readSizes(
      &reader, textSizeMax: textSize, hasSelections: hasSelections)
    hasText = textSize == nil
    if let textSize {
      guard sizes.removeLast() == textSize else { throw reader.error(.mismatch) }
      sizes.append(0)
    }
    readers = []
    for size in sizes { readers.append(try reader.readSlice(size)) }
    try reader.expectEnd()
  }

  /// Reads the sizes of the columns. The text has at most `textSizeMax` bytes, or as many as are left
  /// if that is nil. A column that is not there has the size 0.
  static func readSizes(
    _ reader: inout ByteReader, textSizeMax: Int?, hasSelections: Bool
  ) throws(CodecError) -> [Int] {
    var sizes: [Int] = []
    for column in BlockColumn.allCases {
      if column == .selections, !hasSelections {
        sizes.append(0)
        continue
      }
      let place = reader
      let sizeMax = column == .text ? textSizeMax : nil
      sizes.append(try reader.readCount(max: sizeMax ?? reader.remaining))
      if column == .selections, sizes.last == 0 { throw place.error(.mismatch) }
    }
    return sizes
  }

  subscript(column: BlockColumn) -> ByteReader { readers[column.rawValue] }
}
