import EditModel

/// Attribute sets by number, each once, so that runs are compared and copied as numbers.
///
/// Number 0 is the empty set. Numbers mean something only inside one state and never leave it.
struct AttributeTable: Sendable {
  private var sets: [AttributeSet] = [.empty]
  private var numbers: [AttributeSet: UInt32] = [.empty: 0]

  /// The number of plain text.
  static let empty: UInt32 = 0

  /// Sets in the table.
  var count: Int { sets.count }

  /// The set with this number.
  subscript(number: UInt32) -> AttributeSet { sets[Int(number)] }

  /// The number of `set`, nil where it has none.
  func knownNumber(of set: AttributeSet) -> UInt32? { numbers[set] }

  /// The number of `set`, new where it has none yet.
  mutating func number(of set: AttributeSet) -> UInt32 {
    if let number = numbers[set] { return number }
    let number = UInt32(sets.count)
    sets.append(set)
    numbers[set] = number
    return number
  }
}
