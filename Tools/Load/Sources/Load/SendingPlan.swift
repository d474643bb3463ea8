/// What one connection sends.
struct SendingPlan: Sendable {
  /// Requests that wait for their acknowledgements, at most.
  var inFlight: Int
  /// Edits of a request.
  var batch: Int
  /// For how long requests are sent.
  var nanoseconds: UInt64
  /// Nanoseconds between the times at which requests are due; nil in a closed loop.
  var interval: Double?
}
