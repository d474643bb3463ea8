/// The place of an item: its section, and its index in the section.
public struct ItemPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The index of the section.
  public let section: Int
  /// The index of the item in the section.
  public let item: Int

  /// The place of the `item`-th item of a section.
  public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

  /// `section.item`.
  public var description: String { "\(section).\(item)" }

  /// True if `left` comes first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.section, left.item) < (right.section, right.item)
  }
}
