/// The attributes of a unit of text: names and values, in the order of the names' UTF-8 bytes. All
/// encodings use this order.
///
/// Names are equal if their bytes are equal, without Unicode normalisation: a composed and a
/// decomposed `é` name two attributes. Sets are equal if their names and values are.
public struct AttributeSet: Sendable {
  /// A name and its value.
  public typealias Element = (name: String, value: AttributeValue)

  /// Ascending by the bytes of the names, each name once.
  private var attributes: [Element]

  /// The set of plain text.
  public init() { attributes = [] }

  /// A set of these attributes. If names are equal, the last one counts. O(n) if the names ascend,
  /// else O(n log n).
  public init(_ attributes: some Sequence<Element>) {
    self.attributes = Array(attributes)
    if !isAscending { sort() }
  }

  /// A set of these values. O(n log n).
  public init(_ values: [String: AttributeValue]) {
    self.init(values.map { (name: $0.key, value: $0.value) })
  }

  /// The set of plain text.
  public static let empty = AttributeSet()

  /// The value of an attribute; nil if it is absent; setting nil removes it. Getting and
  /// replacing are O(log n), adding and removing O(n).
  public subscript(name: String) -> AttributeValue? {
    get {
      let place = place(of: name)
      return place.isTaken ? attributes[place.index].value : nil
    }
    set {
      let place = place(of: name)
      switch (newValue, place.isTaken) {
      case (let value?, true): attributes[place.index].value = value
      case (let value?, false): attributes.insert((name, value), at: place.index)
      case (nil, true): attributes.remove(at: place.index)
      case (nil, false): break
      }
    }
  }

  /// This set with the attributes of `other` added; they replace those of the same names. O(n + m).
  public func merging(_ other: AttributeSet) -> AttributeSet {
    var merged: [Element] = []
    merged.reserveCapacity(count + other.count)
    var rest = attributes[...]
    for attribute in other.attributes {
      while let next = rest.first, next.name.precedesExactly(attribute.name) {
        merged.append(next)
        rest = rest.dropFirst()
      }
      if let next = rest.first, next.name.isExactly(attribute.name) { rest = rest.dropFirst() }
      merged.append(attribute)
    }
    return AttributeSet(ascending: merged + rest)
  }

  /// This set without the attributes of these names. O(n + m log n).
  public func removing(_ names: [String]) -> AttributeSet {
    var isKept = [Bool](repeating: true, count: count)
    for name in names {
      let place = place(of: name)
      if place.isTaken { isKept[place.index] = false }
    }
    return AttributeSet(ascending: indices.filter { isKept[$0] }.map { attributes[$0] })
  }
}

extension AttributeSet: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of attributes.
  public var endIndex: Int { attributes.count }
  /// The attribute at `index`, in the order of the names' UTF-8 bytes.
  public subscript(index: Int) -> Element { attributes[index] }
}

extension AttributeSet: Hashable {
  /// True if the bytes of the names, and the values, are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.attributes.elementsEqual(right.attributes) {
      $0.name.isExactly($1.name) && $0.value == $1.value
    }
  }

  /// Feeds names and values to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (name, value) in attributes {
      name.hashBytes(into: &hasher)
      hasher.combine(value)
    }
  }
}

extension AttributeSet: ExpressibleByDictionaryLiteral {
  /// A set of these values; the last of equal names wins.
  public init(dictionaryLiteral elements: (String, AttributeValue)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}

// MARK: - Order

extension AttributeSet {
  /// Attributes known to ascend, each name once.
  private init(ascending attributes: [Element]) { self.attributes = attributes }

  private var isAscending: Bool {
    zip(attributes, attributes.dropFirst()).allSatisfy { $0.name.precedesExactly($1.name) }
  }

  /// Sorts, and keeps the last of equal names.
  private mutating func sort() {
    let order = attributes.indices.sorted { left, right in
      let (leftName, rightName) = (attributes[left].name, attributes[right].name)
      return leftName.precedesExactly(rightName)
        || left < right && leftName.isExactly(rightName)
    }
    var sorted: [Element] = []
    sorted.reserveCapacity(order.count)
    for attribute in order.map({ attributes[$0] }) {
      if let last = sorted.last, last.name.isExactly(attribute.name) { sorted.removeLast() }
      sorted.append(attribute)
    }
    attributes = sorted
  }

  /// The index of the attribute of this name, or the index at which to insert it.
  private func place(of name: String) -> (index: Int, isTaken: Bool) {
    var (lower, upper) = (0, attributes.count)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      if attributes[middle].name.precedesExactly(name) {
        lower = middle + 1
      } else {
        upper = middle
      }
    }
    return (lower, lower < attributes.count && attributes[lower].name.isExactly(name))
  }
}
