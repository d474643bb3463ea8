/// A section of a storage: items, and data about the section as a whole.
public struct StorageSection<Item: StorageItem, Supplementary: Equatable & Sendable>: Equatable,
  Sendable
{
  /// Its items, in order.
  public var items: [Item]
  /// Its supplementary data.
  public var supplementaries: [SupplementaryKey: Supplementary]

  /// A section.
  public init(_ items: [Item] = [], supplementaries: [SupplementaryKey: Supplementary] = [:]) {
    (self.items, self.supplementaries) = (items, supplementaries)
  }
}

/// Names one piece of data of a section: its kind, and an index among those of its kind.
public struct SupplementaryKey: Hashable, Sendable {
  /// Its kind, as `header`.
  public let kind: String
  /// Its index among those of its kind.
  public let index: Int

  /// The `index`-th of a kind.
  public init(_ kind: String, index: Int = 0) { (self.kind, self.index) = (kind, index) }

  /// The section's header.
  public static let header = SupplementaryKey("header")
  /// The section's footer.
  public static let footer = SupplementaryKey("footer")
}
