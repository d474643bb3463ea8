/// An element of a tree: a plain value of a fixed size.
protocol TreeElement: BitwiseCopyable, Sendable {
  /// The sums that a tree keeps over its elements, besides their number.
  associatedtype Measure: TreeMeasure

  /// What one element counts for.
  var measure: Measure { get }

  /// The default maximum number of elements in a leaf.
  static var leafCountMax: Int { get }

  /// True if elements may be packed: kept in fewer bytes, in leaves that are not checked out.
  static var isPackable: Bool { get }
  /// The packed form of the elements; nil if they have none. Not empty. O(elements).
  static func packed(_ elements: UnsafeBufferPointer<Self>) -> [UInt8]?
  /// The number of elements in a packed form. O(1).
  static func count(inPacked bytes: [UInt8]) -> Int
  /// The element at `index` of a packed form. O(1).
  static func element(_ index: Int, inPacked bytes: UnsafeRawBufferPointer) -> Self
}

extension TreeElement {
  static var isPackable: Bool { false }
  static func packed(_ elements: UnsafeBufferPointer<Self>) -> [UInt8]? { nil }
  static func count(inPacked bytes: [UInt8]) -> Int { 0 }
  static func element(_ index: Int, inPacked bytes: UnsafeRawBufferPointer) -> Self {
    preconditionFailure("elements of this type are not packed")
  }
}

/// A sum over elements, which a tree updates when elements are added and removed.
///
/// A part of it may be an upper bound: adding widens it, removing does not change it. A tree
/// computes it again when it checks in a leaf.
protocol TreeMeasure: BitwiseCopyable, Sendable {
  /// Of no element.
  static var zero: Self { get }
  static func + (left: Self, right: Self) -> Self
  static func - (left: Self, right: Self) -> Self

  /// True if a part of it is an upper bound.
  static var isUpperBound: Bool { get }
  /// True if this sum, which was updated by adding and removing, agrees with the exact sum.
  func agrees(with exact: Self) -> Bool
}

extension TreeMeasure {
  static func += (left: inout Self, right: Self) { left = left + right }
  static func -= (left: inout Self, right: Self) { left = left - right }

  static var isUpperBound: Bool { false }
}

extension TreeMeasure where Self: Equatable {
  func agrees(with exact: Self) -> Bool { self == exact }
}

/// Adds up nothing.
struct NoMeasure: TreeMeasure, Equatable {
  static var zero: Self { Self() }
  static func + (left: Self, right: Self) -> Self { Self() }
  static func - (left: Self, right: Self) -> Self { Self() }
}

extension UInt16: TreeElement {
  var measure: NoMeasure { NoMeasure() }
  // Measured: the table in the module's article.
  static var leafCountMax: Int { 4096 }

  static var isPackable: Bool { true }

  /// Units below 0x100 as bytes. O(elements).
  static func packed(_ elements: UnsafeBufferPointer<UInt16>) -> [UInt8]? {
    var all: UInt16 = 0
    for unit in elements { all |= unit }
    guard all < 0x100 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: elements.count) { bytes, count in
      // The capacity is that of the elements.
      for index in elements.indices {
        bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: elements[index]))
      }
      count = elements.count
    }
  }

  @inline(__always)
  static func count(inPacked bytes: [UInt8]) -> Int { bytes.count }

  @inline(__always)
  static func element(_ index: Int, inPacked bytes: UnsafeRawBufferPointer) -> UInt16 {
    UInt16(bytes[index])
  }
}

/// How wide a tree is. Tests shrink it, so that short texts make deep trees.
struct TreeLimits: Sendable, Equatable {
  /// Elements in a leaf, at most; at least 2.
  let leafCountMax: Int
  /// Children of an inner node, at most; 4 to 32.
  let childCountMax: Int

  init(leafCountMax: Int, childCountMax: Int = 24) {
    precondition(leafCountMax >= 2 && (4...32).contains(childCountMax))
    (self.leafCountMax, self.childCountMax) = (leafCountMax, childCountMax)
  }

  /// A leaf with fewer elements is joined with its neighbour, unless it is alone.
  var leafCountMin: Int { max(1, leafCountMax / 4) }
  /// An inner node has no fewer children, unless it is the root.
  var childCountMin: Int { childCountMax / 2 }
}

/// A place between elements: the totals of everything before it.
struct TreePosition<Element: TreeElement>: Sendable {
  /// Elements before it.
  var index = 0
  /// What they add up to.
  var measure = Element.Measure.zero
}

/// The way from the root down to a leaf: which child at each height. Five bits a height hold any
/// child's number, and 25 heights any tree: an inner node has two children at least.
struct TreePath: Sendable, Equatable {
  private var numbers: UInt128 = 0

  /// The child to take at a node of this height, which is at least 1.
  subscript(height: Int) -> Int {
    get { Int(truncatingIfNeeded: numbers >> (5 * (height - 1))) & 31 }
    set {
      let shift = 5 * (height - 1)
      numbers = numbers & ~(31 << shift) | UInt128(newValue) << shift
    }
  }
}
