import EditModel
import EditProtocol

/// Keeps the order of each session's requests after a refusal that may pass, as on a full disk: the
/// later requests are refused too, until the refused one is resent. If a later request were logged, the
/// resent one would count as logged already, and would be lost.
struct SessionTurns {
  /// The first refused request of each session that has one.
  private var refused: [SessionID: UInt64] = [:]

  /// Admits a request, or refuses it if an earlier one of its session must be resent first.
  ///
  /// - Parameter last: The ticket of the last of several requests that `ticket` begins.
  mutating func admit(
    _ ticket: RequestTicket?, through last: RequestTicket? = nil
  ) throws(ProtocolError) {
    if refused.isEmpty { return }
    try check(ticket)
    guard let ticket, let first = refused[ticket.session] else { return }
    let counters = ticket.counter...max(ticket.counter, last?.counter ?? 0)
    if counters.contains(first) { refused[ticket.session] = nil }
  }

  /// As `admit`, but does not end the refusal of later requests.
  func check(_ ticket: RequestTicket?) throws(ProtocolError) {
    guard !refused.isEmpty, let ticket, let first = refused[ticket.session], ticket.counter > first
    else { return }
    throw ProtocolError(
      .overloaded, "request \(first) of this session was refused; send it again before later ones")
  }

  /// Records that a request failed with `error`.
  mutating func note(_ error: ProtocolError, _ ticket: RequestTicket) {
    guard !error.code.isFaultOfRequest else { return }
    refused[ticket.session] = min(refused[ticket.session] ?? ticket.counter, ticket.counter)
  }

  /// Forgets a session that has ended.
  mutating func forget(_ session: SessionID) { refused[session] = nil }
}
