/// An item of a storage: `id` is its identity, which never changes, and `==` compares its content.
/// The same identity with other content is an update.
public typealias StorageItem = Identifiable & Equatable & Sendable

/// Computes what turns one list of items into another.
///
/// Lists may have several items of one identity. A difference must turn the old list into the new
/// one, and must depend only on the lists.
public protocol DifferenceAlgorithm: Sendable {
  /// The difference between two lists.
  func difference<Item: StorageItem>(from old: [Item], to new: [Item]) -> ListDifference<Item>
}
