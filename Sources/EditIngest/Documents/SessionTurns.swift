import EditModel
import EditProtocol

/// Keeps the order of each session's requests after a refusal that may pass, as on a full disk: a later
/// request is refused too, until all refused ones before it are resent. If it were logged first, a
/// resent one would count as logged already, and would be lost.
///
/// All refused requests count, and not only the first: while a client resends them over a new
/// connection, requests that it sent over the old one can still arrive.
struct SessionTurns {
  /// The maximum number of ranges of counters of a session. Beyond it, the highest are forgotten: that
  /// many gaps only come from a client that does not count from 1 on.
  static let rangeCountMax = 1_024

  /// The counters of the refused requests that were not resent, of each session that has some.
  private var refused: [SessionID: RangeSet<UInt64>] = [:]

  /// Admits a request, or refuses it if an earlier one of its session must be resent first.
  ///
  /// - Parameter last: The ticket of the last of several requests that `ticket` begins.
  mutating func admit(
    _ ticket: RequestTicket?, through last: RequestTicket? = nil
  ) throws(ProtocolError) {
    if refused.isEmpty { return }
    try check(ticket)
    guard let ticket, var counters = refused[ticket.session] else { return }
    counters.remove(contentsOf: Self.range(ticket, last ?? ticket))
    refused[ticket.session] = counters.isEmpty ? nil : counters
  }

  /// As `admit`, but the request still counts as refused.
  func check(_ ticket: RequestTicket?) throws(ProtocolError) {
    guard !refused.isEmpty, let ticket,
      let first = refused[ticket.session]?.ranges.first?.lowerBound, ticket.counter > first
    else { return }
    throw ProtocolError(
      .overloaded, "request \(first) of this session was refused; send it again before later ones")
  }

  /// Records that a request failed with `error`, or several: those from `ticket` to `last`.
  mutating func note(
    _ error: ProtocolError, _ ticket: RequestTicket, through last: RequestTicket? = nil
  ) {
    guard !error.code.isFaultOfRequest else { return }
    var counters = refused[ticket.session] ?? RangeSet()
    counters.insert(contentsOf: Self.range(ticket, last ?? ticket))
    if counters.ranges.count > Self.rangeCountMax, let highest = counters.ranges.last {
      counters.remove(contentsOf: highest)
    }
    refused[ticket.session] = counters
  }

  /// Forgets a session that has ended.
  mutating func forget(_ session: SessionID) { refused[session] = nil }

  private static func range(_ first: RequestTicket, _ last: RequestTicket) -> Range<UInt64> {
    // The largest counter has no successor.
    let start = min(first.counter, .max - 1)
    return start..<max(start, min(last.counter, .max - 1)) + 1
  }
}
