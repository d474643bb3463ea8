/// Why an operation of a storage could not be done. The storage is unchanged.
public enum StorageAnomaly: Error, Hashable, Sendable, CustomStringConvertible {
  /// An item or a section was to be inserted after the end: there are `count` items in the section, or
  /// `count` sections.
  case insertionOutside(ItemPath, count: Int)
  /// A batch had more items than paths, or fewer.
  case batchCountMismatch(items: Int, paths: Int)
  /// No item has the identity of the one to be replaced.
  case replaceNotFound(id: String)
  /// No item, or no other one, has the identity of the one to be removed.
  case removeNotFound(id: String)
  /// There is no item at the path from which one was to be moved.
  case moveSourceNotFound(ItemPath)
  /// An item was to be moved after the end: the section has `count` items after the removal.
  case moveDestinationOutside(ItemPath, count: Int)
  /// A path of a move has a negative number.
  case movePathsInvalid(from: ItemPath, to: ItemPath)
  /// A section after the last that a storage can create was named: it can have `countMax` sections.
  case tooManySections(section: Int, countMax: Int)
  /// The difference of an algorithm does not lead from the items of a section to those that were to be set.
  case wrongDifference(section: Int, oldCount: Int, newCount: Int)

  /// One sentence with its numbers.
  public var description: String {
    switch self {
    case .insertionOutside(let path, let count):
      "nothing can be inserted at \(path): the last place is \(count)"
    case .batchCountMismatch(let items, let paths):
      "\(items) items cannot be inserted at \(paths) paths"
    case .replaceNotFound(let id): "item \(id) is not in the storage, and cannot be replaced"
    case .removeNotFound(let id): "item \(id) is not in the storage, and cannot be removed"
    case .moveSourceNotFound(let path): "there is no item at \(path) that could be moved"
    case .moveDestinationOutside(let path, let count):
      "no item can be moved to \(path): the last place is \(count)"
    case .movePathsInvalid(let from, let to): "no item can be moved from \(from) to \(to)"
    case .tooManySections(let section, let countMax):
      "there is no section \(section), and none can be created: a storage has at most \(countMax) sections"
    case .wrongDifference(let section, let oldCount, let newCount):
      """
      the difference does not lead from the \(oldCount) items of section \(section) to the \(newCount) \
      new ones; use another algorithm, or correct this one
      """
    }
  }
}

/// The anomalies that a program expects. An operation that meets one of them changes nothing and does
/// not throw. Silencers stack: an anomaly is silenced if one of them applies.
public struct AnomalySilencers: Sendable {
  private var predicates: [@Sendable (StorageAnomaly) -> Bool] = []

  /// No silencers.
  public init() {}

  /// Silences this anomaly, with these numbers.
  public mutating func silence(_ anomaly: StorageAnomaly) {
    predicates.append { $0 == anomaly }
  }

  /// Silences the anomalies for which `predicate` is true.
  public mutating func silence(where predicate: @escaping @Sendable (StorageAnomaly) -> Bool) {
    predicates.append(predicate)
  }

  /// True if the anomaly is silenced. O(silencers).
  public func apply(to anomaly: StorageAnomaly) -> Bool {
    predicates.contains { $0(anomaly) }
  }
}
