/// What changed in a storage, for a receiver that keeps a copy. A batch of operations is one update.
public struct StorageUpdate<Item: StorageItem, Supplementary: Equatable & Sendable>: Equatable,
  Sendable
{
  /// Its number: the first update of a storage is 1, and each other one follows the one before.
  public let number: UInt64
  /// The changes, in order: one at least.
  public let steps: [StorageStep<Item, Supplementary>]

  /// True if the update has everything, and needs none of the updates before it.
  public var isSnapshot: Bool {
    if case .snapshot = steps.first { true } else { false }
  }
}

/// One change of a storage. Its indices are those of the storage that the steps before it left.
public enum StorageStep<Item: StorageItem, Supplementary: Equatable & Sendable>: Equatable,
  Sendable
{
  /// A section of this storage.
  public typealias Section = StorageSection<Item, Supplementary>

  /// Sections were inserted, removed, moved or replaced.
  case sections(ListDifference<Section>)
  /// Items of a section were inserted, removed, moved or replaced.
  case items(section: Int, ListDifference<Item>)
  /// An item went to another section. The index of `to` counts after the removal.
  case move(from: ItemPath, to: ItemPath)
  /// A section has new supplementary data of this key; nil if it has none.
  case supplementary(section: Int, key: SupplementaryKey, value: Supplementary?)
  /// These are all sections.
  case snapshot([Section])

  /// Changes the sections.
  ///
  /// - Throws: `DifferenceError` if the step does not fit. The sections are then unchanged.
  public func apply(to sections: inout [Section]) throws(DifferenceError) {
    switch self {
    case .sections(let difference): try difference.apply(to: &sections)
    case .items(let section, let difference):
      guard sections.indices.contains(section) else { throw Self.noSection(section, sections) }
      try difference.apply(to: &sections[section].items)
    case .move(let from, let to):
      guard sections.indices.contains(from.section), sections.indices.contains(to.section) else {
        throw Self.noSection(max(from.section, to.section), sections)
      }
      let count = sections[from.section].items.count
      let room = sections[to.section].items.count - (from.section == to.section ? 1 : 0)
      guard (0..<count).contains(from.item), (0...max(0, room)).contains(to.item) else {
        throw DifferenceError(expectedCount: count, foundCount: count)
      }
      let item = sections[from.section].items.remove(at: from.item)
      sections[to.section].items.insert(item, at: to.item)
    case .supplementary(let section, let key, let value):
      guard sections.indices.contains(section) else { throw Self.noSection(section, sections) }
      sections[section].supplementaries[key] = value
    case .snapshot(let all): sections = all
    }
  }

  /// Applies steps one after the other. O(steps + updates) if each changes single items of a section of its own,
  /// or supplementary data; else the sections are copied before the second step.
  ///
  /// - Throws: `DifferenceError` if a step does not fit. The sections are then unchanged.
  static func apply(_ steps: [Self], to sections: inout [Section]) throws(DifferenceError) {
    let before = steps.count < 2 || allFit(steps, sections) ? [] : sections
    do throws(DifferenceError) {
      for step in steps { try step.apply(to: &sections) }
    } catch {
      if steps.count > 1 { sections = before }
      throw error
    }
  }

  /// True if none of the steps can fail, as far as that is known without applying them.
  private static func allFit(_ steps: [Self], _ sections: [Section]) -> Bool {
    var changed: Set<Int> = []
    return steps.allSatisfy { step in
      switch step {
      case .items(let section, let difference):
        sections.indices.contains(section) && changed.insert(section).inserted
          && difference.fitsSingly(count: sections[section].items.count)
      case .supplementary(let section, _, _): sections.indices.contains(section)
      case .sections, .move, .snapshot: false
      }
    }
  }

  private static func noSection(_ section: Int, _ sections: [Section]) -> DifferenceError {
    DifferenceError(expectedCount: section + 1, foundCount: sections.count)
  }
}
