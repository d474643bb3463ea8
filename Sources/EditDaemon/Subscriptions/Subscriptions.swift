import EditProtocol

/// The subscriptions of one connection. Used only on its event loop.
struct Subscriptions {
  private var all: [Int: Subscription] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { all.isEmpty }

  /// Adds the subscription that `make` makes with its number: the one that the client has chosen, or the
  /// next.
  mutating func add(
    _ chosen: Int?, countMax: Int, _ make: (Int) -> Subscription
  ) throws(ProtocolError) -> (Int, Subscription) {
    if let chosen, chosen <= lastNumber {
      throw ProtocolError(
        .invalidParams,
        "a subscription has a number above those before it on the connection, \(lastNumber + 1) or more"
      )
    }
    guard all.count < countMax else {
      throw ProtocolError(
        .overloaded,
        "a connection has at most \(countMax) subscriptions; end one with editlog/unsubscribe")
    }
    lastNumber = chosen ?? lastNumber + 1
    let subscription = make(lastNumber)
    all[lastNumber] = subscription
    return (lastNumber, subscription)
  }

  /// The subscription with this number.
  func subscription(_ number: Int) throws(ProtocolError) -> Subscription {
    guard let subscription = all[number] else { throw Self.unknown(number) }
    return subscription
  }

  /// Ends a subscription.
  mutating func end(_ number: Int) throws(ProtocolError) {
    guard let subscription = all.removeValue(forKey: number) else { throw Self.unknown(number) }
    subscription.end()
  }

  /// Ends all.
  mutating func endAll() {
    for subscription in all.values { subscription.end() }
    all = [:]
  }

  private static func unknown(_ number: Int) -> ProtocolError {
    ProtocolError(
      .invalidParams, "there is no subscription \(number) on this connection; it may have ended")
  }
}
