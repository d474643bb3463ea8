/// The number of rows before a place, or an estimate of it.
public struct RowNumber: Hashable, Sendable {
  /// Rows before the place.
  public let value: Int
  /// True if they were counted.
  public let isExact: Bool

  /// A number.
  public init(value: Int, isExact: Bool) { (self.value, self.isExact) = (value, isExact) }
}
