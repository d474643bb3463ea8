public import EditModel

/// A version in a call: a sequence number, `latest`, a time, `mark:LABEL`, `save:N`, `session:N` or
/// `undo:N`. `PointParser` reads it, and needs the clock and the zone.
public struct PointExpression: Hashable, Sendable, CustomStringConvertible {
  /// The expression as it was written.
  public let text: String

  /// An expression in the grammar of `PointParser`.
  public init(_ text: String) { self.text = text }

  /// The expression of a point.
  public init(_ point: Point) {
    text =
      switch point {
      case .sequence(let sequence): String(sequence)
      case .latest: "latest"
      case .time(let time): time.rfc3339
      case .mark(let label): "mark:" + label
      case .save(let number): "save:\(number)"
      case .session(let number): "session:\(number)"
      case .undo(let number): "undo:\(number)"
      }
  }

  /// The newest version.
  public static let latest = PointExpression("latest")

  /// The version after an edit.
  public static func sequence(_ sequence: SequenceNumber) -> Self { Self(String(sequence)) }

  /// The expression.
  public var description: String { text }
}
