import EditModel

/// The three shapes of an edit, from which its origin is predicted.
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

  /// The predicted origins of the three shapes, before any edit of this shape.
  static let origins: [Origin] = [.typing, .removal, .typing]
}

/// Predicts the number of an edit's request.
struct CounterPrediction {
  /// The last number of each session, by its place in the dictionary.
  private var last: [UInt64] = [0]
  /// The last increments: for edits that open a transaction, and for edits that continue one.
  private var stepToOpen: UInt64 = 1
  private var stepToContinue: UInt64 = 0

  /// The predicted number.
  @inline(__always)
  func predict(session: Int, opens: Bool) -> UInt64 {
    base(session) &+ (opens ? stepToOpen : stepToContinue)
  }

  /// The number before, in the same session.
  @inline(__always)
  func base(_ session: Int) -> UInt64 { session < last.count ? last[session] : 0 }

  /// Records a number that was as predicted.
  @inline(__always)
  mutating func accept(_ counter: UInt64, session: Int) {
    while session >= last.count { last.append(0) }
    last[session] = counter
  }

  /// Records a number that was not as predicted.
  mutating func correct(_ counter: UInt64, session: Int, opens: Bool) {
    let step = counter &- base(session)
    if opens { stepToOpen = step } else { stepToContinue = step }
    accept(counter, session: session)
  }
}
