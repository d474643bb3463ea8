import EditModel
import EditProtocol

/// Keeps the requests of each session in their order where one of them was refused for no fault
/// of its own, as on a full disk: those behind it are refused too until it is sent again. Were one
/// of them logged, the resent one would pass for logged as well, and be lost.
struct SessionTurns {
  /// The first refused request of each session that has one.
  private var refused: [SessionID: UInt64] = [:]

  /// Lets a request in, or refuses it because it is not its turn.
  mutating func admit(_ ticket: RequestTicket?) throws(ProtocolError) {
    try check(ticket)
    if let ticket, ticket.counter == refused[ticket.session] { refused[ticket.session] = nil }
  }

  /// Refuses a request if an earlier one of its session has to be resent first.
  func check(_ ticket: RequestTicket?) throws(ProtocolError) {
    guard let ticket, let first = refused[ticket.session], ticket.counter > first else { return }
    throw ProtocolError(
      .overloaded, "request \(first) of this session was refused; send it again before others")
  }

  /// Notes that a request ended in `error`.
  mutating func note(_ error: ProtocolError, _ ticket: RequestTicket) {
    guard !error.code.isFaultOfRequest else { return }
    refused[ticket.session] = min(refused[ticket.session] ?? ticket.counter, ticket.counter)
  }

  /// Forgets a session that has ended.
  mutating func forget(_ session: SessionID) { refused[session] = nil }
}
