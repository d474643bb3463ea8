/// A range of UTF-16 code units: location and length, as in `NSRange`.
///
/// Both numbers are at least 0, and their sum does not overflow, so `upperBound` cannot trap.
public struct UTF16Range: Hashable, Sendable, CustomStringConvertible {
  /// UTF-16 units before the range.
  public let location: Int
  /// UTF-16 units in the range.
  public let length: Int

  /// The offset just after the last unit.
  @inlinable public var upperBound: Int { location + length }
  /// True if the range has no units: it is a place between two units.
  @inlinable public var isEmpty: Bool { length == 0 }

  /// A range from untrusted numbers; nil if one is negative or their sum overflows.
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

  /// A range without checks: both numbers must be at least 0, and their sum must not overflow.
  @inlinable package init(uncheckedLocation location: Int, length: Int) {
    (self.location, self.length) = (location, length)
  }

  /// The same range as offsets.
  @inlinable public var bounds: Range<Int> { location..<upperBound }

  /// `{location, length}`, the notation of `NSRange`.
  public var description: String { "{\(location), \(length)}" }
}
