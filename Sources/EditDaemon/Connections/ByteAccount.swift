/// What one connection has in flight: a part that it may always have, so that small requests
/// never wait for those of others, and a part of the budget that all share.
///
/// Used on the connection's event loop alone.
struct ByteAccount {
  /// Bytes taken, and from where; to be given back once.
  struct Charge {
    fileprivate var own = 0
    fileprivate var shared = 0
    fileprivate init(own: Int = 0, shared: Int = 0) { (self.own, self.shared) = (own, shared) }

    /// True if others might have the bytes.
    var isShared: Bool { shared > 0 }

    static func + (left: Charge, right: Charge) -> Charge {
      Charge(own: left.own + right.own, shared: left.shared + right.shared)
    }
  }

  private let budget: ByteBudget
  private let ownMax: Int
  private let shareMax: Int
  private var own = 0
  private var shared = 0

  init(budget: ByteBudget, ownMax: Int, shareMax: Int) {
    (self.budget, self.ownMax, self.shareMax) = (budget, ownMax, shareMax)
  }

  /// Bytes in flight.
  var used: Int { own + shared }

  enum Answer {
    case taken(Charge)
    /// This connection has too much under way; something of it has to end first.
    case waitsForItself
    /// This number of bytes has to be taken from the budget, then passed to `add`.
    case waitsForOthers(Int)
  }

  /// Takes bytes if there is room.
  mutating func take(_ bytes: Int) -> Answer {
    if own + bytes <= ownMax {
      own += bytes
      return .taken(Charge(own: bytes))
    }
    let cost = budget.cost(of: bytes)
    // What is larger than the connection's share is let in when nothing else of it is under way.
    let mayShare = shared + bytes <= shareMax || used == 0
    if !mayShare || !budget.take(cost) {
      // A small one gets room when one before it is done, whatever others do.
      return !mayShare || bytes <= ownMax ? .waitsForItself : .waitsForOthers(cost)
    }
    return .taken(add(cost))
  }

  /// Notes bytes that were taken from the budget.
  mutating func add(_ bytes: Int) -> Charge {
    shared += bytes
    return Charge(shared: bytes)
  }

  /// Gives bytes back.
  mutating func give(_ charge: Charge) {
    own -= charge.own
    shared -= charge.shared
    if charge.shared > 0 { budget.give(charge.shared) }
  }
}
