import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Testing
/// A connection that subscribes, and what it is sent.
struct Subscriber {
  let client: EditLogClient
  let answer: SubscribeAnswer
  private var deliveries: AsyncStream<Delivery>.Iterator

  init(_ daemon: RunningDaemon, _ request: SubscribeRequest) async throws {
    let (stream, continuation) = AsyncStream<Delivery>.limited()
    var options = EditLogClient.Options()
    options.onNotification = { _, params in
      if let delivery = try? Delivery(params: params) { continuation.yield(delivery) }
    }
    client = try await EditLogClient.connect(to: daemon.socket, options: options)
    answer = try await client.call(request)
    deliveries = stream.makeAsyncIterator()
  }

  mutating func next() async throws -> Delivery { try #require(await deliveries.next()) }

  /// The next `count` entries.
  mutating func entries(_ count: Int) async throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    while entries.count < count { entries += try await next().entries }
    return entries
  }

  /// The undo states that come with the deliveries up to this version.
  mutating func states(through sequence: SequenceNumber) async throws -> [UndoState] {
    var states: [UndoState] = []
    while true {
      let delivery = try await next()
      if let state = delivery.undoState { states.append(state) }
      if delivery.next.after >= sequence { return states }
    }
  }
}
