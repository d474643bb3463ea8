/// A run of units with the same attributes.
public struct AttributeRun: Hashable, Sendable {
  /// UTF-16 units in the run.
  public var length: Int
  /// The attributes of each unit.
  public var attributes: AttributeSet

  /// A run of `length` UTF-16 units.
  public init(length: Int, attributes: AttributeSet) {
    (self.length, self.attributes) = (length, attributes)
  }
}
