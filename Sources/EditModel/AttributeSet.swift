/// The attributes of a unit of text: names and values. Equality is by value.
public struct AttributeSet: Hashable, Sendable {
  /// The values by name.
  public var values: [String: AttributeValue]

  /// A set of these values.
  public init(_ values: [String: AttributeValue] = [:]) { self.values = values }

  /// The set of plain text.
  public static let empty = AttributeSet()
  /// True for plain text.
  public var isEmpty: Bool { values.isEmpty }

  /// The value of an attribute, nil where it is absent.
  public subscript(name: String) -> AttributeValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// Names and values in the order of the names' UTF-8 bytes: the order of every encoding, so
  /// that no hash order leaks out. O(n log n).
  public var sorted: [(name: String, value: AttributeValue)] {
    values.map { (name: $0.key, value: $0.value) }.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
  }

  /// This set with the values of `other` put over it.
  public func merging(_ other: AttributeSet) -> AttributeSet {
    AttributeSet(values.merging(other.values) { _, new in new })
  }

  /// This set without the attributes of these names.
  public func removing(_ names: [String]) -> AttributeSet {
    var result = self
    for name in names { result.values[name] = nil }
    return result
  }
}

extension AttributeSet: ExpressibleByDictionaryLiteral {
  /// A set of these values; the last of equal names wins.
  public init(dictionaryLiteral elements: (String, AttributeValue)...) {
    self.init(Dictionary(elements) { _, last in last })
  }
}

/// A run of units that carry the same attributes.
public struct AttributeRun: Hashable, Sendable {
  /// UTF-16 units in the run.
  public var length: Int
  /// What they carry.
  public var attributes: AttributeSet

  /// A run of `length` UTF-16 units.
  public init(length: Int, attributes: AttributeSet) {
    (self.length, self.attributes) = (length, attributes)
  }
}
