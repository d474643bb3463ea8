import EditModel

/// Attribute sets with numbers, each set once, so that runs are compared and copied as numbers.
///
/// Number 0 is the empty set. Numbers are valid only inside one state.
struct AttributeTable: Sendable {
  private var sets: [InternedSet]
  private var numbers: [AttributeSet: SetNumber]
  /// The numbers of names, in the order in which the names were added.
  private var nameNumbers: [ExactString: Int] = [:]
  /// The approximate memory of the sets, in bytes.
  private(set) var size = 0

  /// The objects of a set, and its places in the table, in bytes.
  private static let setSize = 256

  /// The number of plain text.
  static let empty = SetNumber(0, names: NameMask())

  /// A table of the empty set.
  init() { (sets, numbers) = ([InternedSet(.empty)], [.empty: Self.empty]) }

  /// Sets in the table.
  var count: Int { sets.count }

  /// The set with this number.
  subscript(number: SetNumber) -> AttributeSet { sets[number.index].set }

  /// The number of `set`; nil if it has none.
  func knownNumber(of set: AttributeSet) -> SetNumber? { numbers[set] }

  /// The number of `set`; a new one if it has none yet.
  mutating func number(of set: AttributeSet) -> SetNumber {
    if let number = numbers[set] { return number }
    var names = NameMask()
    for (name, _) in set { names.formUnion(mask(adding: ExactString(name))) }
    let number = SetNumber(sets.count, names: names)
    sets.append(InternedSet(set))
    size += Self.setSize + 2 * set.size
    numbers[set] = number
    return number
  }

  /// The mask of a name; empty if no set has it.
  func mask(of name: String) -> NameMask {
    nameNumbers[ExactString(name)].map(NameMask.init(name:)) ?? NameMask()
  }

  private mutating func mask(adding name: ExactString) -> NameMask {
    let number = nameNumbers[name] ?? nameNumbers.count
    nameNumbers[name] = number
    return NameMask(name: number)
  }

  /// The hash of the numbers that stand for a set. O(size of the set) the first time.
  func hash(of number: SetNumber) -> PolynomialHash { sets[number.index].hash }
}

/// The number of a set in a table, and the mask of its names. Equal if the numbers are.
struct SetNumber: Equatable, BitwiseCopyable, Sendable {
  /// The mask of the set's names.
  let names: NameMask
  private let number: UInt32

  init(_ index: Int, names: NameMask) { (number, self.names) = (UInt32(index), names) }

  /// The number, as an index.
  var index: Int { Int(number) }

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}

/// A filter of attribute names by their numbers modulo 64. It may match names that are not in the
/// set, and always matches those that are.
struct NameMask: OptionSet, BitwiseCopyable, Sendable {
  var rawValue: UInt64 = 0

  /// The mask of the name with this number.
  init(name number: Int) { rawValue = 1 << UInt64(number % 64) }

  init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A set in a table.
private final class InternedSet: Sendable {
  let set: AttributeSet
  private let hashCache = HashCache()

  init(_ set: AttributeSet) { self.set = set }

  var hash: PolynomialHash {
    if let hash = hashCache.hash { return hash }
    var hash = PolynomialHash()
    hash.append(set)
    hashCache.keep(hash)
    return hash
  }
}
