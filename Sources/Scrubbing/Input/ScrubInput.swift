package import EditModel

/// What happens to a screen: keys, answers to its requests, the time.
package enum ScrubInput: Hashable, Sendable {
  case key(ScrubKey)
  case mouse(ScrubMouse)
  /// The terminal has this size now.
  case resize(ScrubSize)
  /// The time on a clock that never goes back, in nanoseconds. Only differences count.
  case tick(Int64)
  /// The answer to a request.
  case answer(ScrubRequest, ScrubAnswer)
  /// A request failed: one sentence for the user.
  case failure(ScrubRequest, String)
  /// Entries were logged; the newest version is `latest`, of this time.
  case logged(latest: SequenceNumber, time: Timestamp?, events: [HistoryEvent])
  /// A line for the user.
  case notice(String)
  /// The connection to the daemon was lost, or is back.
  case connection(isLost: Bool)
  /// The document was forgotten; the request that noticed it, if one did.
  case forgotten(ScrubRequest?)
}
