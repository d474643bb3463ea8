/// A receiver's copy of a storage. It applies updates at its own pace, and only in their order: an
/// update that is not the next one is refused, never queued. A snapshot is accepted if it is newer
/// than the copy, because it needs none of the updates before it.
public struct StorageReplica<Item: StorageItem, Supplementary: Equatable & Sendable>: Sendable {
  /// The sections of the copy.
  public private(set) var sections: [StorageSection<Item, Supplementary>]
  /// The number of the update last applied.
  public private(set) var number: UInt64

  /// A copy of a storage. What a batch that is open has changed so far is in the copy already: copy
  /// a storage before its batches, or after them.
  public init(of storage: SectionedStorage<Item, Supplementary>) {
    (sections, number) = (storage.sections, storage.number)
  }

  /// Applies the next update.
  ///
  /// - Throws: `ReplicaError`. The copy is then unchanged.
  public mutating func apply(
    _ update: StorageUpdate<Item, Supplementary>
  ) throws(ReplicaError) {
    guard update.number == number + 1 || update.isSnapshot && update.number > number else {
      throw .outOfOrder(expected: number + 1, found: update.number)
    }
    do throws(DifferenceError) { try StorageStep.apply(update.steps, to: &sections) } catch {
      throw .doesNotFit(number: update.number, error)
    }
    number = update.number
  }
}

/// Why a copy refused an update.
public enum ReplicaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The update is not the next one.
  case outOfOrder(expected: UInt64, found: UInt64)
  /// The update is that of another storage.
  case doesNotFit(number: UInt64, DifferenceError)

  /// One sentence, with what to do.
  public var description: String {
    switch self {
    case .outOfOrder(let expected, let found):
      "update \(expected) was due, but \(found) came; copy the storage again"
    case .doesNotFit(let number, let error):
      "update \(number) does not fit this copy: \(error); copy the storage again"
    }
  }
}
