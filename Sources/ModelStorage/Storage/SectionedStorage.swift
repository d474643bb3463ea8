/// A model of sections of items, which tells its receivers what changed.
///
/// It is a value. An operation changes the storage at once and returns an update, which its receivers
/// apply to their copies (`StorageReplica`). It returns nil if nothing changed. Operations create
/// missing sections on demand. One that cannot be done changes nothing and throws `StorageAnomaly`,
/// unless the anomaly is silenced.
///
/// Batches and quiet changes nest by depth: only the outermost returns an update.
///
/// Invariant: a copy that applied all updates has the sections of the storage.
public struct SectionedStorage<Item: StorageItem, Supplementary: Equatable & Sendable>: Sendable {
  /// A section of this storage.
  public typealias Section = StorageSection<Item, Supplementary>
  /// An update of this storage.
  public typealias Update = StorageUpdate<Item, Supplementary>
  typealias Step = StorageStep<Item, Supplementary>

  /// The maximum number of sections that operations create on demand.
  public static var sectionCountMax: Int { 1 << 20 }

  /// The sections, in order.
  public private(set) var sections: [Section]
  /// The number of the last update.
  public private(set) var number: UInt64 = 0
  /// The anomalies that are expected.
  public var silencers = AnomalySilencers()
  /// The anomalies that were silenced.
  public private(set) var silencedCount = 0

  private var batchDepth = 0
  private var quietDepth = 0
  /// The steps since the last update.
  private var pending: [Step] = []
  private var needsSnapshot = false

  /// A storage of these sections.
  public init(_ sections: [Section] = []) { self.sections = sections }

  // MARK: Queries

  /// The items of all sections.
  public var itemCount: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// The item at a path; nil if there is none. O(1).
  public subscript(path: ItemPath) -> Item? {
    guard let items = items(in: path.section), items.indices.contains(path.item) else {
      return nil
    }
    return items[path.item]
  }

  /// The items of a section; nil if there is no such section. O(1).
  public func items(in section: Int) -> [Item]? {
    sections.indices.contains(section) ? sections[section].items : nil
  }

  /// The first path of an item of this identity; nil if there is none. O(n).
  public func firstPath(of id: Item.ID) -> ItemPath? {
    for (section, content) in sections.enumerated() {
      if let item = content.items.firstIndex(where: { $0.id == id }) {
        return ItemPath(section: section, item: item)
      }
    }
    return nil
  }

  /// The supplementary data of a section; nil if it has none of this key.
  public func supplementary(_ key: SupplementaryKey, in section: Int) -> Supplementary? {
    sections.indices.contains(section) ? sections[section].supplementaries[key] : nil
  }

  // MARK: Batches

  /// Makes the operations of `body` one update. If `body` throws, the storage is as it was before.
  /// The first change of a section copies its items.
  ///
  /// - Returns: The update, if no batch is open around this one and something changed.
  /// - Throws: what `body` throws.
  @discardableResult
  public mutating func performUpdates<Failure: Error>(
    _ body: (inout Self) throws(Failure) -> Void
  ) throws(Failure) -> Update? {
    var storage = self
    storage.batchDepth += 1
    try body(&storage)
    storage.batchDepth -= 1
    self = storage
    return finish()
  }

  /// Makes the operations of `body` without steps: receivers get one snapshot after them. Steps of
  /// the batch around it are part of the snapshot. If `body` throws, the storage is as it was before.
  ///
  /// - Returns: as `performUpdates`.
  /// - Throws: what `body` throws.
  @discardableResult
  public mutating func performQuietly<Failure: Error>(
    _ body: (inout Self) throws(Failure) -> Void
  ) throws(Failure) -> Update? {
    var storage = self
    storage.quietDepth += 1
    try body(&storage)
    storage.quietDepth -= 1
    self = storage
    return finish()
  }

  // MARK: Steps

  /// Changes the storage by steps that were computed elsewhere, as one update.
  ///
  /// - Throws: `DifferenceError` if a step does not fit. The storage is then unchanged.
  @discardableResult
  public mutating func perform(
    _ steps: [StorageStep<Item, Supplementary>]
  ) throws(DifferenceError) -> Update? {
    try Step.apply(steps, to: &sections)
    for step in steps { record(step) }
    return finish()
  }

  /// Changes the sections as receivers will. A step is made for these sections, so it fits.
  mutating func perform(_ step: Step) {
    guard (try? step.apply(to: &sections)) != nil else { return }
    record(step)
  }

  /// Adds a step to the next update.
  private mutating func record(_ step: Step) {
    switch step {
    case .snapshot: needsSnapshot = true
    default:
      if quietDepth > 0 { needsSnapshot = true } else { pending.append(step) }
    }
  }

  /// The update of the steps since the last one; nil if there are none, or a batch is open.
  mutating func finish() -> Update? {
    guard batchDepth == 0, quietDepth == 0, needsSnapshot || !pending.isEmpty else { return nil }
    let steps = needsSnapshot ? [.snapshot(sections)] : pending
    (pending, needsSnapshot) = ([], false)
    number += 1
    return Update(number: number, steps: steps)
  }

  /// Throws the anomaly, or counts it if it is silenced.
  mutating func report(_ anomaly: StorageAnomaly) throws(StorageAnomaly) {
    guard silencers.apply(to: anomaly) else { throw anomaly }
    silencedCount += 1
  }
}
