import EditJSON

/// A list in an answer. A long list may be made of a version while it is read, so that it is never in
/// memory as a whole.
public struct AnswerList<Element: Sendable>: Sendable {
  /// The number of elements.
  public let count: Int
  /// Makes the elements of a range.
  private let make: @Sendable (Range<Int>) -> [Element]

  /// These elements.
  public init(_ elements: [Element]) {
    self.init(count: elements.count) { Array(elements[$0]) }
  }

  /// `count` elements. `make` must return the elements of a range, always the same ones. Those of
  /// neighbouring ranges are asked for one range after the other.
  package init(count: Int, _ make: @escaping @Sendable (Range<Int>) -> [Element]) {
    (self.count, self.make) = (count, make)
  }
}

extension AnswerList: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { count }

  /// The element at `index`. It may be made for this call.
  public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count)
    return make(index..<index + 1)[0]
  }

  /// The results of `transform` for each element, in order; a collection's own `map` would make each
  /// element by itself.
  public func map<Result, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    for element in self { results.append(try transform(element)) }
    return results
  }

  /// An iterator, which makes some elements at a time.
  public func makeIterator() -> Iterator { Iterator(list: self) }

  /// An iterator over a list.
  public struct Iterator: IteratorProtocol {
    /// The number of elements that are made at a time.
    private static var partCount: Int { 256 }

    private let list: AnswerList
    private var part: [Element] = []
    private var (partStart, index) = (0, 0)

    fileprivate init(list: AnswerList) { self.list = list }

    /// The next element; nil after the last.
    public mutating func next() -> Element? {
      guard index < list.count else { return nil }
      if index == partStart + part.count {
        partStart = index
        part = list.make(index..<Swift.min(index + Self.partCount, list.count))
      }
      defer { index += 1 }
      return part[index - partStart]
    }
  }
}

extension AnswerList: ExpressibleByArrayLiteral {
  /// These elements.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension AnswerList: Equatable where Element: Equatable {
  /// True if the elements are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }
}

extension AnswerList: Hashable where Element: Hashable {
  /// Feeds the elements to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension Codec {
  /// A list of an answer.
  static func list<Element: Sendable>(_ element: Codec<Element>) -> Codec
  where Value == AnswerList<Element> {
    Codec(
      schema: ["type": "array", "items": .object(element.schema)],
      decode: { (json) throws(ShapeError) in AnswerList(try json.asArray(of: element.decode)) },
      encode: { .array($0.map(element.encode)) },
      write: { $1.append(list: $0, element.write) })
  }
}
