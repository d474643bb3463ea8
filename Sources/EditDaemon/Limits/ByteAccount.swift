import EditQueries

/// The bytes that one connection has in flight: its own part, so that small requests never wait for
/// other connections, and a part of the shared budget.
///
/// Used only on the connection's event loop.
struct ByteAccount {
  /// Bytes that were taken. They must be released once, with `give`.
  struct Charge {
    fileprivate var own = 0
    fileprivate var shared = 0
    /// What answers have that stay in memory until they are sent.
    fileprivate var memory: [AnswerMemory] = []
    fileprivate init(own: Int = 0, shared: Int = 0) { (self.own, self.shared) = (own, shared) }

    /// The memory of an answer, which is given back with the charge.
    init(_ memory: AnswerMemory) { self.memory = [memory] }

    /// True if the bytes are from the shared budget.
    var isShared: Bool { shared > 0 }

    static func + (left: Charge, right: Charge) -> Charge {
      var sum = Charge(own: left.own + right.own, shared: left.shared + right.shared)
      sum.memory = left.memory + right.memory
      return sum
    }
  }

  private let budget: ByteBudget
  private var own = 0
  private var shared = 0

  init(budget: ByteBudget) { self.budget = budget }

  /// Bytes in flight.
  var used: Int { own + shared }

  enum Answer {
    case taken(Charge)
    /// The connection has too many bytes in flight. Some of them must be released first.
    case waitsForItself
    /// This number of bytes must be taken from the budget, then passed to `add`.
    case waitsForOthers(Int)
  }

  /// Takes bytes if they are free.
  mutating func take(_ bytes: Int) -> Answer {
    let ownMax = budget.ownMax
    if own + bytes <= ownMax {
      own += bytes
      return .taken(Charge(own: bytes))
    }
    let cost = budget.cost(of: bytes)
    // A frame that is larger than the connection's share is admitted if the connection has no other
    // bytes in flight.
    let mayShare = shared + bytes <= budget.shareMax || used == 0
    if !mayShare || !budget.take(cost) {
      // A small frame only waits for the connection's own bytes.
      return !mayShare || bytes <= ownMax ? .waitsForItself : .waitsForOthers(cost)
    }
    return .taken(add(cost))
  }

  /// Adds bytes that were taken from the budget.
  mutating func add(_ bytes: Int) -> Charge {
    shared += bytes
    return Charge(shared: bytes)
  }

  /// Releases bytes.
  mutating func give(_ charge: Charge) {
    own -= charge.own
    shared -= charge.shared
    if charge.shared > 0 { budget.give(charge.shared) }
  }
}
