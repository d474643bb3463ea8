import EditJSON
import EditProtocol

/// A connection over which a `ForwardingClient` sends its requests.
protocol RequestLink: Sendable {
  /// What comes over the connection, in its order; ends with it.
  var events: AsyncStream<RequestEvent> { get }
  /// The number of bytes of requests that may be sent now. A request may exceed it if no other is
  /// without an answer.
  var room: Int { get }
  /// Why the connection ended.
  var reason: ProtocolError? { get }

  /// Begins the session with these params of `initialize`, if there are any.
  ///
  /// - Throws: `ProtocolError`.
  func begin(_ initialize: JSON?) async throws
  /// Sends the request with this counter.
  func send(_ counter: UInt64, _ payload: ByteParts)
  /// Tells the daemon that the session has ended.
  func leave() async
  /// Starts to end the connection.
  func startClosing()
  /// Ends the connection, and returns when it has ended.
  func close() async
}

/// What comes over a `RequestLink`.
enum RequestEvent: Sendable {
  case answer(UInt64, RequestQueue.Outcome)
  /// More may be sent.
  case room
}
