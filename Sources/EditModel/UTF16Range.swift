/// A run of UTF-16 code units: where it starts and how long it is, as `NSRange`.
///
/// Both numbers are at least 0 and their sum does not overflow, so `upperBound` is safe.
public struct UTF16Range: Hashable, Sendable, CustomStringConvertible {
  /// UTF-16 units before the range.
  public let location: Int
  /// UTF-16 units in the range.
  public let length: Int

  /// The offset just behind the last unit.
  @inlinable public var upperBound: Int { location + length }
  /// True where the range holds no unit: a place between two units.
  @inlinable public var isEmpty: Bool { length == 0 }

  /// A range from untrusted numbers; nil where one is negative or their sum overflows.
  public init?(location: Int, length: Int) {
    guard location >= 0, length >= 0, !location.addingReportingOverflow(length).overflow else {
      return nil
    }
    (self.location, self.length) = (location, length)
  }

  /// A range between two offsets. `bounds.lowerBound` must not be negative.
  @inlinable public init(_ bounds: Range<Int>) {
    precondition(bounds.lowerBound >= 0)
    (location, length) = (bounds.lowerBound, bounds.count)
  }

  /// A range of numbers known to be at least 0, whose sum does not overflow.
  @inlinable package init(uncheckedLocation location: Int, length: Int) {
    (self.location, self.length) = (location, length)
  }

  /// The same range as offsets.
  @inlinable public var bounds: Range<Int> { location..<upperBound }

  /// `{location, length}`, the notation of the text systems.
  public var description: String { "{\(location), \(length)}" }
}
