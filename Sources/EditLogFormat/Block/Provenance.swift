import EditModel

/// What an edit does to characters, in three forms: an origin is predicted from them.
enum EditShape: Int {
  case insertion = 0
  case removal = 1
  case other = 2

  @inline(__always)
  init(length: Int, newLength: Int?) {
    self =
      if let newLength, (length == 0) != (newLength == 0) {
        length == 0 ? .insertion : .removal
      } else { .other }
  }

  /// The origins predicted for the three, before any was seen.
  static let origins: [Origin] = [.typing, .removal, .typing]
}

/// How the numbers of requests go on, from what is known of an edit.
struct CounterPrediction {
  /// The last number of each session, by its place in the dictionary.
  private var last: [UInt64] = [0]
  /// By how much numbers last grew: from edits that open a transaction, and from those that go on.
  private var stepToOpen: UInt64 = 1
  private var stepToContinue: UInt64 = 0

  /// The number expected.
  @inline(__always)
  func predict(session: Int, opens: Bool) -> UInt64 {
    base(session) &+ (opens ? stepToOpen : stepToContinue)
  }

  /// The number before, in the same session.
  @inline(__always)
  func base(_ session: Int) -> UInt64 { session < last.count ? last[session] : 0 }

  /// Takes note of a number that was expected.
  @inline(__always)
  mutating func accept(_ counter: UInt64, session: Int) {
    while session >= last.count { last.append(0) }
    last[session] = counter
  }

  /// Takes note of a number that was not.
  mutating func correct(_ counter: UInt64, session: Int, opens: Bool) {
    let step = counter &- base(session)
    if opens { stepToOpen = step } else { stepToContinue = step }
    accept(counter, session: session)
  }
}
