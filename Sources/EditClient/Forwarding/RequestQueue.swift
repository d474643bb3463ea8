import DequeModule
import EditJSON
import EditModel
import EditProtocol

/// Numbered requests that the daemon has not answered, in the order of their counters.
///
/// - A request leaves when it and all before it have ended. After a lost connection everything
///   from the oldest one on is sent again, on top of the documents that were open before it; the
///   daemon knows by the counters what it has already handled.
/// - Requests with counters up to `spooledThrough` are in the spool, from the oldest one on without
///   a gap. Their bytes need not be in memory.
/// - Requests with counters below `nextToSend` were sent on the current connection.
struct RequestQueue: Sendable {
  /// The daemon's answer to a request.
  enum Answer: Hashable, Sendable {
    /// The result of `editlog/forward`.
    case forwarded(JSON)
    case appended(AppendResult)
  }
  /// How a request ended: with the daemon's answer, or with the error that ended it.
  typealias Outcome = Result<Answer, ProtocolError>
  /// A request that has left the queue.
  typealias Ended = (counter: UInt64, outcome: Outcome)

  /// One request.
  struct Entry: Sendable {
    /// Bytes of the payload.
    let size: Int
    /// The request's params; nil if they are in the spool only.
    fileprivate(set) var payload: ByteParts?
    /// Where the request's record is in the spool.
    fileprivate(set) var spoolOffset: Int?
    /// The effect of the request on the documents that are open in its session.
    fileprivate let effect: OpenDocuments.Effect?
    /// True if it was sent on the current connection and not answered there.
    fileprivate var isInWindow = false
    fileprivate var outcome: Outcome?
    fileprivate var refusalCount = 0
  }

  /// The counter of the oldest request, or of the next if the queue is empty.
  private(set) var firstCounter: UInt64
  /// The counter of the request that is sent next.
  private(set) var nextToSend: UInt64
  /// The last counter in the spool; one less than `firstCounter` if the spool has none.
  private(set) var spooledThrough: UInt64
  /// Bytes of payload in memory.
  private(set) var memorySize = 0
  /// Bytes and requests sent on the current connection and not answered there.
  private(set) var window = (size: 0, count: 0)
  /// The documents that were open before the oldest request.
  private(set) var openDocuments: OpenDocuments
  private var entries: Deque<Entry> = []

  init(firstCounter: UInt64 = 1, openDocuments: OpenDocuments = OpenDocuments()) {
    (self.firstCounter, nextToSend) = (firstCounter, firstCounter)
    (spooledThrough, self.openDocuments) = (firstCounter - 1, openDocuments)
  }

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// The counter of the newest request so far.
  var lastCounter: UInt64 { firstCounter + UInt64(entries.count) - 1 }
  /// The counters of requests that are in memory only.
  var unspooled: Range<UInt64> { max(firstCounter, spooledThrough + 1)..<lastCounter + 1 }

  /// The request with this counter, which must be in the queue.
  subscript(counter: UInt64) -> Entry { entries[index(counter)] }

  private func index(_ counter: UInt64) -> Int {
    precondition(counter >= firstCounter && counter <= lastCounter)
    return Int(counter - firstCounter)
  }

  /// Adds a request, whose counter is `lastCounter` afterwards.
  mutating func append(_ payload: ByteParts, _ effect: OpenDocuments.Effect?) {
    let size = payload.size
    entries.append(Entry(size: size, payload: payload, effect: effect))
    memorySize += size
  }

  /// Adds a request whose bytes are in the spool only, after others that are in the spool.
  mutating func appendSpooled(size: Int, at offset: Int, _ effect: OpenDocuments.Effect?) {
    precondition(unspooled.isEmpty)
    entries.append(Entry(size: size, payload: nil, spoolOffset: offset, effect: effect))
    spooledThrough = lastCounter
  }
}

// Sending.
extension RequestQueue {
  /// The counter to send next, which is in the window now; nil if there is none, or if others must
  /// be answered first. A request larger than the window is sent alone.
  mutating func takeNextToSend(sizeMax: Int, countMax: Int) -> UInt64? {
    guard nextToSend <= lastCounter, window.count < countMax else { return nil }
    let index = index(nextToSend)
    let size = entries[index].size
    guard window.count == 0 || window.size + size <= sizeMax else { return nil }
    entries[index].isInWindow = true
    window = (window.size + size, window.count + 1)
    defer { nextToSend += 1 }
    return nextToSend
  }

  /// Notes that the connection is gone: everything is to be sent again. O(requests sent).
  mutating func connectionLost() {
    for counter in firstCounter..<nextToSend { entries[index(counter)].isInWindow = false }
    (nextToSend, window) = (firstCounter, (0, 0))
  }

  /// Notes that a request has ended, and returns those that leave the queue.
  mutating func end(_ counter: UInt64, _ outcome: Outcome) -> [Ended] {
    guard counter >= firstCounter, counter < nextToSend else { return [] }
    let index = index(counter)
    if entries[index].outcome == nil { entries[index].outcome = outcome }
    leaveWindow(index)
    var ended: [Ended] = []
    // One that ended on an earlier connection leaves when it has been sent on this one too.
    while firstCounter < nextToSend, let outcome = entries.first?.outcome {
      ended.append(removeFirst(outcome))
    }
    return ended
  }

  /// Ends everything with this error.
  mutating func endAll(_ error: ProtocolError) -> [Ended] {
    var ended: [Ended] = []
    while let entry = entries.first { ended.append(removeFirst(entry.outcome ?? .failure(error))) }
    nextToSend = firstCounter
    return ended
  }

  private mutating func removeFirst(_ outcome: Outcome) -> Ended {
    leaveWindow(0)
    let entry = entries.removeFirst()
    if entry.payload != nil { memorySize -= entry.size }
    if let effect = entry.effect { openDocuments.apply(effect) }
    if case .success(.forwarded(let answer)) = outcome { openDocuments.note(answer) }
    spooledThrough = max(spooledThrough, firstCounter)
    defer { firstCounter += 1 }
    return (firstCounter, outcome)
  }

  private mutating func leaveWindow(_ index: Int) {
    guard entries[index].isInWindow else { return }
    entries[index].isInWindow = false
    window = (window.size - entries[index].size, window.count - 1)
  }

  /// Notes a refusal that may pass; returns how many there were of this request.
  mutating func countRefusal(_ counter: UInt64) -> Int {
    guard counter >= firstCounter, counter <= lastCounter else { return 0 }
    let index = index(counter)
    entries[index].refusalCount += 1
    return entries[index].refusalCount
  }
}

// The spool.
extension RequestQueue {
  /// True if the spool holds nothing that is still needed.
  var needsNoSpool: Bool { spooledThrough < firstCounter }

  /// Notes that the next request after `spooledThrough` has its record at `offset`.
  mutating func spooled(at offset: Int) {
    let counter = unspooled.lowerBound
    entries[index(counter)].spoolOffset = offset
    spooledThrough = counter
  }

  /// Frees the bytes that the spool has too. O(n).
  mutating func forgetSpooled() {
    guard !needsNoSpool else { return }
    for index in 0...index(spooledThrough) {
      if entries[index].payload != nil { memorySize -= entries[index].size }
      entries[index].payload = nil
    }
  }
}
