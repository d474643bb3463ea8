import Synchronization

/// A hash that readers on any thread keep for each other, once one of them has it.
///
/// The content does not change while it is shared, so threads that store at the same time store the
/// same hash.
struct HashCache: ~Copyable, Sendable {
  private let firstValue = Atomic<UInt64>(0)
  private let firstPower = Atomic<UInt64>(0)
  private let secondValue = Atomic<UInt64>(0)
  /// Written last and read first. It is 0, which is no power, if no hash is cached.
  private let secondPower = Atomic<UInt64>(0)

  /// The hash; nil if none is kept.
  var hash: PolynomialHash? {
    let power = secondPower.load(ordering: .acquiring)
    guard power != 0 else { return nil }
    return PolynomialHash(
      first: .init(
        value: firstValue.load(ordering: .relaxed), power: firstPower.load(ordering: .relaxed)),
      second: .init(value: secondValue.load(ordering: .relaxed), power: power))
  }

  /// Caches the hash of the owner's content.
  func keep(_ hash: PolynomialHash) {
    firstValue.store(hash.first.value, ordering: .relaxed)
    firstPower.store(hash.first.power, ordering: .relaxed)
    secondValue.store(hash.second.value, ordering: .relaxed)
    secondPower.store(hash.second.power, ordering: .releasing)
  }

  /// Clears the hash before a change of a node that is not shared.
  func forget() { secondPower.store(0, ordering: .relaxed) }
}
