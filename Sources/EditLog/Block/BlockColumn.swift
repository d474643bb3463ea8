/// The columns of a block, in the order they are stored: times first, then what is usually short,
/// and the text last.
enum BlockColumn: Int, CaseIterable {
  case times, timeBits
  // Who, when and why: what `ProvenanceEncoder` writes.
  case origins, authors, sessions, counters, transactions, clientRuns, clientTimes
  // Events, as records: what they say, and the labels of marks.
  case events, labels
  // What and where: what `SpanEncoder` writes.
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
  var events = ByteWriter()
  var labels = ByteWriter()
  var counts = ByteWriter()
  var lengths = ByteWriter()
  var attributes = ByteWriter()
  var positionTails = ByteWriter()
  var rows = ByteWriter()
  var positions = ByteWriter()
  var text = ByteWriter()

  /// Hands each column to `body`, in the order they are stored.
  func forEach(_ body: (borrowing ByteWriter) -> Void) {
    for column in BlockColumn.allCases {
      switch column {
      case .times: body(times)
      case .timeBits: body(timeBits)
      case .origins: body(origins)
      case .authors: body(authors)
      case .sessions: body(sessions)
      case .counters: body(counters)
      case .transactions: body(transactions)
      case .clientRuns: body(clientRuns)
      case .clientTimes: body(clientTimes)
      case .events: body(events)
      case .labels: body(labels)
      case .counts: body(counts)
      case .lengths: body(lengths)
      case .attributes: body(attributes)
      case .positionTails: body(positionTails)
      case .rows: body(rows)
      case .positions: body(positions)
      case .text: body(text)
      }
    }
  }

  /// The bytes of `preface` and of the columns in order, and the end of each column; without the
  /// text, the last column, unless `hasText`.
  func joined(
    after preface: borrowing ByteWriter, hasText: Bool = true
  ) -> (bytes: [UInt8], ends: [Int]) {
    var size = preface.count
    var ends: [Int] = []
    forEach { column in
      size += column.count
      ends.append(size)
    }
    if !hasText {
      ends.removeLast()
      size -= text.count
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    preface.withUnsafeBytes { bytes.append(contentsOf: $0) }
    forEach { column in
      guard bytes.count < size else { return }
      column.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return (bytes, ends)
  }
}

/// Readers of the columns of a block.
struct BlockColumnReaders {
  private var readers: [ByteReader]

  /// Cuts what is left in `reader` into the columns whose sizes stand at its front.
  init(_ reader: inout ByteReader) throws(CodecError) {
    var sizes: [Int] = []
    for _ in BlockColumn.allCases { sizes.append(try reader.readCount(max: reader.remaining)) }
    readers = []
    for size in sizes { readers.append(try reader.readSlice(size)) }
    try reader.expectEnd()
  }

  subscript(column: BlockColumn) -> ByteReader { readers[column.rawValue] }
}
