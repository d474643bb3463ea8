import EditModel

/// What the editor said and the daemon has not acknowledged yet: a queue of numbered messages.
///
/// - A message leaves when it and all before it are acknowledged, because after a loss of the
///   connection everything from the oldest one on is sent again, on top of the documents that
///   were open before it. What the log has already, the daemon tells by the counters.
/// - Those with counters up to `spooledThrough` are in the spool, from the oldest one on without
///   a gap; of these the bytes need not be in memory.
/// - Those with counters below `nextToSend` are under way on the current connection.
struct Outbox {
  /// One message.
  struct Entry {
    /// Bytes of the payload.
    let size: Int
    /// The params of `editlog/forward`; nil where they are in the spool alone.
    fileprivate(set) var payload: [UInt8]?
    /// Where its record is in the spool.
    fileprivate(set) var spoolOffset: Int?
    fileprivate let effect: OpenDocuments.Effect?
    /// It was sent on the current connection, and not answered there.
    fileprivate var isUnderWay = false
    fileprivate(set) var isDone = false
    fileprivate(set) var refusalCount = 0
  }

  /// The number of the oldest message here, or of the next.
  private(set) var firstCounter: UInt64 = 1
  /// The number of the message that is sent next.
  private(set) var nextToSend: UInt64 = 1
  /// The last number in the spool; one less than `firstCounter` where none is.
  private(set) var spooledThrough: UInt64 = 0
  /// Bytes of payload in memory.
  private(set) var memorySize = 0
  /// Bytes and messages under way.
  private(set) var flight = (size: 0, count: 0)
  /// What is open once all messages were handled.
  private(set) var open = OpenDocuments()
  /// What was open before the oldest message.
  private(set) var acknowledgedOpen = OpenDocuments()
  private var entries: ArraySlice<Entry> = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// The number of the newest message so far.
  var lastCounter: UInt64 { firstCounter + UInt64(entries.count) - 1 }
  /// The numbers of messages that only memory has.
  var unspooled: Range<UInt64> { max(firstCounter, spooledThrough + 1)..<lastCounter + 1 }

  /// The message of this number, which must be here.
  subscript(counter: UInt64) -> Entry { entries[index(counter)] }

  private func index(_ counter: UInt64) -> Int {
    precondition(counter >= firstCounter && counter <= lastCounter)
    return entries.startIndex + Int(counter - firstCounter)
  }

  /// Adds a message, which has the number `lastCounter` then.
  mutating func append(_ payload: [UInt8], _ effect: OpenDocuments.Effect?) {
    if let effect { open.apply(effect) }
    entries.append(Entry(size: payload.count, payload: payload, effect: effect))
    memorySize += payload.count
  }
}

// Sending.
extension Outbox {
  /// The number to send next, now under way; nil where there is none, or none may go before
  /// others are acknowledged.
  mutating func takeNextToSend(flightSizeMax: Int, flightCountMax: Int) -> UInt64? {
    guard nextToSend <= lastCounter, flight.count < flightCountMax else { return nil }
    let index = index(nextToSend)
    let size = entries[index].size
    guard flight.count == 0 || flight.size + size <= flightSizeMax else { return nil }
    entries[index].isUnderWay = true
    flight = (flight.size + size, flight.count + 1)
    defer { nextToSend += 1 }
    return nextToSend
  }

  /// Notes that the connection is gone: all is to be sent again. O(messages under way).
  mutating func connectionLost() {
    for counter in firstCounter..<nextToSend { entries[index(counter)].isUnderWay = false }
    (nextToSend, flight) = (firstCounter, (0, 0))
  }

  /// Notes that a message sent on this connection was handled or is given up.
  mutating func finish(_ counter: UInt64) {
    guard counter >= firstCounter, counter < nextToSend else { return }
    entries[index(counter)].isDone = true
    land(index(counter))
    removeDone()
  }

  private mutating func land(_ index: Int) {
    guard entries[index].isUnderWay else { return }
    entries[index].isUnderWay = false
    flight = (flight.size - entries[index].size, flight.count - 1)
  }

  /// Notes a refusal that may have been no fault of the message; returns how many there were.
  mutating func countRefusal(_ counter: UInt64) -> Int {
    guard counter >= firstCounter, counter <= lastCounter else { return 0 }
    let index = index(counter)
    entries[index].refusalCount += 1
    return entries[index].refusalCount
  }

  private mutating func removeDone() {
    // What is done but was not sent again since the connection was lost has to be.
    while let entry = entries.first, entry.isDone, firstCounter < nextToSend {
      land(entries.startIndex)
      memorySize -= entry.payload?.count ?? 0
      if let effect = entry.effect { acknowledgedOpen.apply(effect) }
      // A slice keeps what was removed from its front until it moves.
      entries[entries.startIndex].payload = nil
      entries.removeFirst()
      firstCounter += 1
    }
    if entries.isEmpty { entries = [] }
    spooledThrough = max(spooledThrough, firstCounter - 1)
  }
}

// The spool.
extension Outbox {
  /// True where the spool holds nothing that is still needed.
  var needsNoSpool: Bool { spooledThrough < firstCounter }

  /// Notes that the next message after `spooledThrough` has its record at `offset`.
  mutating func spooled(at offset: Int) {
    let counter = unspooled.lowerBound
    entries[index(counter)].spoolOffset = offset
    spooledThrough = counter
  }

  /// Lets go of the bytes that the spool has too. O(n).
  mutating func forgetSpooled() {
    for index in entries.indices.prefix(Int(spooledThrough + 1 - firstCounter)) {
      memorySize -= entries[index].payload?.count ?? 0
      entries[index].payload = nil
    }
  }
}
