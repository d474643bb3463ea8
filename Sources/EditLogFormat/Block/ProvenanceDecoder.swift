import EditModel

/// Reads the columns that `ProvenanceEncoder` wrote.
struct ProvenanceDecoder {
  private var lastTime: Int64
  private let divisor: UInt64
  private var times: StepReader
  private var origins: ExceptionReader
  private var expectedOrigins = EditShape.origins
  private var authors: NameDecoder<ExactString>
  private var sessions: NameDecoder<SessionID>
  private var counters: ExceptionReader
  private var prediction = CounterPrediction()
  private var transactions: ExceptionReader
  private var expectedOffset: UInt64 = 0
  private var clientRuns: ExceptionReader
  private var clientTimes: ByteReader
  private var hasClientTime = false
  private var selections: SelectionDecoder

  init(
    _ columns: BlockColumnReaders, firstTime: Timestamp, divisor: UInt64
  ) throws(CodecError) {
    (lastTime, self.divisor) = (firstTime.nanoseconds, divisor)
    times = StepReader(columns[.times], bits: columns[.timeBits])
    origins = try ExceptionReader(columns[.origins])
    authors = try NameDecoder(columns[.authors])
    sessions = try NameDecoder(columns[.sessions])
    counters = try ExceptionReader(columns[.counters])
    transactions = try ExceptionReader(columns[.transactions])
    clientRuns = try ExceptionReader(columns[.clientRuns])
    clientTimes = columns[.clientTimes]
    selections = try SelectionDecoder(columns[.selections])
  }

  /// Who made an edit, when and why.
  struct Stamp {
    var time: Timestamp
    var clientTime: Timestamp?
    var origin: Origin
    var transaction: SequenceNumber
    var counter: UInt64
  }

  /// Advances to the next edit. Its author and its session are then `authors.name` and
  /// `sessions.name`, and `selections` is at it.
  @inline(__always) @discardableResult
  mutating func advance(
    _ shape: EditShape, sequence: SequenceNumber
  ) throws(CodecError) -> Stamp {
    lastTime &+= Int64(bitPattern: try times.next() &* divisor)
    let clientTime = try decodeClientTime()
    let origin = try decodeOrigin(shape)
    try authors.advance { (reader) throws(CodecError) in
      ExactString(try reader.readString())
    }
    try sessions.advance { (reader) throws(CodecError) in
      try RecordCodec.decodeSession(&reader)
    }
    let transaction = try decodeTransaction(sequence)
    let counter = try decodeCounter(opens: transaction == sequence)
    try selections.advance(shape)
    return Stamp(
      time: Timestamp(nanoseconds: lastTime), clientTime: clientTime, origin: origin,
      transaction: transaction, counter: counter)
  }

  /// Who made the edit to which the decoder advanced last.
  var writer: EditWriter { EditWriter(exactAuthor: authors.name, session: sessions.name) }

  /// The edit to which the decoder advanced last, which has the action `action`.
  @inline(__always)
  func entry(
    _ action: consuming EditAction, _ stamp: Stamp, sequence: SequenceNumber
  ) -> HistoryEntry {
    let selection = selections.selection(of: action)
    return HistoryEntry(
      sequence: sequence, action: action, origin: stamp.origin, transaction: stamp.transaction,
      exactAuthor: authors.name, session: sessions.name, counter: stamp.counter, time: stamp.time,
      clientTime: stamp.clientTime, selection: selection)
  }

  /// The next edit, which has the action `action`.
  mutating func decode(
    _ action: EditAction, shape: EditShape, sequence: SequenceNumber
  ) throws(CodecError) -> Edit {
    let stamp = try advance(shape, sequence: sequence)
    return Edit(
      sequence: sequence, action: action, origin: stamp.origin, transaction: stamp.transaction,
      author: authors.name?.string, session: sessions.name, counter: stamp.counter,
      time: stamp.time, clientTime: stamp.clientTime,
      selection: selections.selection(of: action))
  }

  /// - Throws: `CodecError` if the columns hold more than the edits took from them.
  func expectEnd() throws(CodecError) {
    try times.expectEnd()
    try origins.expectEnd()
    try authors.expectEnd()
    try sessions.expectEnd()
    try counters.expectEnd()
    try transactions.expectEnd()
    try clientRuns.expectEnd()
    try clientTimes.expectEnd()
    try selections.expectEnd()
  }

  @inline(__always)
  private mutating func decodeClientTime() throws(CodecError) -> Timestamp? {
    if clientRuns.isException() {
      hasClientTime.toggle()
      try clientRuns.advance()
    }
    guard hasClientTime else { return nil }
    return Timestamp(nanoseconds: lastTime &+ (try clientTimes.readZigzag()))
  }

  @inline(__always)
  private mutating func decodeOrigin(_ shape: EditShape) throws(CodecError) -> Origin {
    if origins.isException() {
      let place = origins.reader
      guard let origin = Origin(rawValue: try origins.reader.readByte()) else {
        throw place.error(.unknown)
      }
      expectedOrigins[shape.rawValue] = origin
      try origins.advance()
    }
    return expectedOrigins[shape.rawValue]
  }

  @inline(__always)
  private mutating func decodeTransaction(
    _ sequence: SequenceNumber
  ) throws(CodecError) -> SequenceNumber {
    var offset = expectedOffset
    if transactions.isException() {
      offset = try transactions.reader.readVarint()
      try transactions.advance()
    }
    guard offset < sequence else { throw transactions.reader.error(.place) }
    expectedOffset = offset == 0 ? 0 : offset + 1
    return sequence - offset
  }

  @inline(__always)
  private mutating func decodeCounter(opens: Bool) throws(CodecError) -> UInt64 {
    let session = sessions.number
    guard counters.isException() else {
      let counter = prediction.predict(session: session, opens: opens)
      prediction.accept(counter, session: session)
      return counter
    }
    let step = UInt64(bitPattern: try counters.reader.readZigzag())
    let counter = prediction.base(session) &+ step
    prediction.correct(counter, session: session, opens: opens)
    try counters.advance()
    return counter
  }
}

/// Reads what `NameEncoder` wrote.
struct NameDecoder<Name> {
  private var exceptions: ExceptionReader
  private var names: [Name] = []
  /// The name of the current edit, and its number.
  private(set) var name: Name?
  private(set) var number = 0

  init(_ reader: ByteReader) throws(CodecError) { exceptions = try ExceptionReader(reader) }

  /// Advances to the next edit. `read` reads a name from a reader.
  @inline(__always)
  mutating func advance(
    _ read: (inout ByteReader) throws(CodecError) -> Name
  ) throws(CodecError) {
    guard exceptions.isException() else { return }
    number = try exceptions.reader.readCount(max: names.count + 1)
    if number > names.count { names.append(try read(&exceptions.reader)) }
    name = number == 0 ? nil : names[number - 1]
    try exceptions.advance()
  }

  func expectEnd() throws(CodecError) { try exceptions.expectEnd() }
}
