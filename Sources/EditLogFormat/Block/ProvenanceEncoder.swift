import EditModel

/// Writes the author, time, origin and transaction of each edit as columns.
struct ProvenanceEncoder {
  private var lastTime: Int64
  private let divisor: UInt64
  private var times = StepWriter()
  private var origins = ExceptionWriter()
  private var expectedOrigins = EditShape.origins
  private var authors = NameEncoder()
  private var sessions = NameEncoder()
  private var counters = ExceptionWriter()
  private var prediction = CounterPrediction()
  private var transactions = ExceptionWriter()
  private var expectedOffset: UInt64 = 0
  private var clientRuns = ExceptionWriter()
  private var hasClientTime = false
  private var selections = SelectionEncoder()

  /// An encoder of edits from `firstTime` on, whose time deltas are multiples of `divisor`.
  init(firstTime: Timestamp, divisor: UInt64) {
    (lastTime, self.divisor) = (firstTime.nanoseconds, divisor)
  }

  @inline(__always)
  mutating func encode(_ edit: Edit, to columns: inout BlockColumns) {
    encodeTimes(edit, to: &columns)
    let shape = EditShape(
      length: edit.action.range.length, newLength: edit.action.replacement?.count)
    if edit.origin == expectedOrigins[shape.rawValue] {
      origins.skip()
    } else {
      origins.mark(in: &columns.origins)
      columns.origins.write(edit.origin.rawValue)
      expectedOrigins[shape.rawValue] = edit.origin
    }
    authors.encode(edit.author, to: &columns.authors)
    sessions.encode(edit.session?.name, to: &columns.sessions)
    encodeTransaction(edit, to: &columns)
    encodeCounter(edit, to: &columns)
    selections.encode(edit, shape, to: &columns.selections)
  }

  mutating func finish(to columns: inout BlockColumns) {
    times.flush(to: &columns.times, bits: &columns.timeBits)
  }

  @inline(__always)
  private mutating func encodeTimes(_ edit: Edit, to columns: inout BlockColumns) {
    let time = edit.time.nanoseconds
    let delta = UInt64(bitPattern: time &- lastTime)
    lastTime = time
    times.write(
      divisor == 1 || delta == 0 ? delta : delta / divisor, to: &columns.times,
      bits: &columns.timeBits)
    if (edit.clientTime != nil) != hasClientTime {
      clientRuns.mark(in: &columns.clientRuns)
      hasClientTime.toggle()
    } else {
      clientRuns.skip()
    }
    if let clientTime = edit.clientTime {
      columns.clientTimes.write(zigzag: clientTime.nanoseconds &- time)
    }
  }

  @inline(__always)
  private mutating func encodeTransaction(_ edit: Edit, to columns: inout BlockColumns) {
    let offset = edit.sequence &- edit.transaction
    if offset == expectedOffset {
      transactions.skip()
    } else {
      transactions.mark(in: &columns.transactions)
      columns.transactions.write(varint: offset)
    }
    // Predicted: after an edit that opens a transaction, another that opens one; after one that
    // continues a transaction, another that continues it.
    expectedOffset = offset == 0 ? 0 : offset &+ 1
  }

  @inline(__always)
  private mutating func encodeCounter(_ edit: Edit, to columns: inout BlockColumns) {
    let (session, opens) = (sessions.last, edit.transaction == edit.sequence)
    if edit.counter == prediction.predict(session: session, opens: opens) {
      counters.skip()
      prediction.accept(edit.counter, session: session)
    } else {
      counters.mark(in: &columns.counters)
      let step = edit.counter &- prediction.base(session)
      columns.counters.write(zigzag: Int64(bitPattern: step))
      prediction.correct(edit.counter, session: session, opens: opens)
    }
  }
}

/// Writes names that rarely change: a number for each change, 0 for none, and each name after the
/// first use of its number.
struct NameEncoder {
  private var exceptions = ExceptionWriter()
  private var numbers: [ExactString: Int] = [:]
  private var lastName: String?
  /// The number of the last name.
  private(set) var last = 0

  @inline(__always)
  mutating func encode(_ name: String?, to writer: inout ByteWriter) {
    if name.isExactly(lastName) {
      exceptions.skip()
    } else {
      change(name, to: &writer)
    }
  }

  private mutating func change(_ name: String?, to writer: inout ByteWriter) {
    exceptions.mark(in: &writer)
    lastName = name
    guard let name else {
      last = 0
      return writer.write(0)
    }
    if let number = numbers[ExactString(name)] {
      last = number
      return writer.write(count: number)
    }
    last = numbers.count + 1
    numbers[ExactString(name)] = last
    writer.write(count: last)
    writer.write(string: name)
  }
}
