import EditJSON

/// A version, and a part of it: a number of units or paragraphs, starting at an offset.
public struct VersionPart: Hashable, Sendable {
  /// The version.
  public var at: PointExpression
  /// The position of the first unit or paragraph, from 0.
  public var offset: Int
  /// The maximum number of units or paragraphs. If nil, all to the end.
  public var limit: Int?

  /// A part. By default, the whole of the newest version.
  public init(at: PointExpression = .latest, offset: Int = 0, limit: Int? = nil) {
    (self.at, self.offset, self.limit) = (at, offset, limit)
  }

  static let codec = Codec<Self>(
    { VersionPart(at: $0, offset: $1, limit: $2) },
    .optional("at", \.at, .point, else: .latest),
    .optional("offset", \.offset, .count, else: 0),
    .optional("limit", \.limit, .integer(in: 1...Int.max)))
}
