extension SectionedStorage {
  /// Inserts a section.
  ///
  /// - Throws: `StorageAnomaly.insertionOutside` if `index` is after the end.
  @discardableResult
  public mutating func insertSection(
    _ section: Section = Section(), at index: Int
  ) throws(StorageAnomaly) -> Update? {
    guard (0...sections.count).contains(index) else {
      try report(.insertionOutside(ItemPath(section: index, item: 0), count: sections.count))
      return nil
    }
    perform(
      .sections(ListDifference(oldCount: sections.count, insertions: [.init(index, section)])))
    return finish()
  }

  /// Removes sections with their items. Indices without a section are left out.
  @discardableResult
  public mutating func deleteSections(_ indices: Set<Int>) -> Update? {
    let found = indices.filter(sections.indices.contains).sorted()
    if !found.isEmpty {
      perform(.sections(ListDifference(oldCount: sections.count, removals: found)))
    }
    return finish()
  }

  /// Moves a section. `to` counts after the removal. Missing sections are created first.
  ///
  /// - Throws: `StorageAnomaly.movePathsInvalid` if an index is negative, `.tooManySections` if one is too
  ///   large.
  @discardableResult
  public mutating func moveSection(
    from: Int, to: Int
  ) throws(StorageAnomaly) -> Update? {
    guard min(from, to) >= 0 else {
      try report(
        .movePathsInvalid(
          from: ItemPath(section: from, item: 0), to: ItemPath(section: to, item: 0)))
      return nil
    }
    guard try canHave(max(from, to)) else { return nil }
    createSections(upTo: max(from, to))
    if from != to {
      perform(
        .sections(
          ListDifference(oldCount: sections.count, moves: [.init(from: from, to: to)])))
    }
    return finish()
  }

  /// Replaces all sections, in one snapshot.
  @discardableResult
  public mutating func setSections(_ sections: [Section]) -> Update? {
    if sections != self.sections { perform(.snapshot(sections)) }
    return finish()
  }

  /// Replaces all sections by sections of these items without supplementary data, in one snapshot.
  @discardableResult
  public mutating func setItemsOfAllSections(_ items: [[Item]]) -> Update? {
    setSections(items.map { Section($0) })
  }

  /// Removes all items, in one snapshot. The sections stay, with their supplementary data.
  @discardableResult
  public mutating func removeAllItems() -> Update? {
    setSections(sections.map { Section([], supplementaries: $0.supplementaries) })
  }

  /// Sets the supplementary data of a section; nil removes it.
  ///
  /// - Throws: `StorageAnomaly.insertionOutside` if the section's index is negative, `.tooManySections` if it
  ///   is too large.
  @discardableResult
  public mutating func setSupplementary(
    _ value: Supplementary?, _ key: SupplementaryKey, in section: Int
  ) throws(StorageAnomaly) -> Update? {
    guard try canHave(section) else { return nil }
    // What a missing section does not have need not be removed.
    if value != nil { createSections(upTo: section) }
    set(value, key, in: section)
    return finish()
  }

  /// Gives the first sections one value each, for the key `kind` at index 0. Sections after them keep
  /// theirs. If there are no values, all data of the kind is removed from all sections.
  @discardableResult
  public mutating func setSupplementaries(_ values: [Supplementary], kind: String) -> Update? {
    if values.isEmpty {
      for (section, content) in sections.enumerated() {
        let keys = content.supplementaries.keys.filter { $0.kind == kind }
        for key in keys.sorted(by: { $0.index < $1.index }) { set(nil, key, in: section) }
      }
    } else {
      createSections(upTo: values.count - 1)
      for (section, value) in values.enumerated() {
        set(value, SupplementaryKey(kind), in: section)
      }
    }
    return finish()
  }

  private mutating func set(_ value: Supplementary?, _ key: SupplementaryKey, in section: Int) {
    guard supplementary(key, in: section) != value else { return }
    perform(.supplementary(section: section, key: key, value: value))
  }

  /// True if there is a section at this index, or can be created. Reports the anomaly otherwise.
  mutating func canHave(_ section: Int) throws(StorageAnomaly) -> Bool {
    guard section >= 0 else {
      try report(.insertionOutside(ItemPath(section: section, item: 0), count: sections.count))
      return false
    }
    guard section < max(Self.sectionCountMax, sections.count) else {
      try report(.tooManySections(section: section, countMax: Self.sectionCountMax))
      return false
    }
    return true
  }

  /// Inserts empty sections at the end, so that there is one at `section`, which the storage can have.
  mutating func createSections(upTo section: Int) {
    guard section >= sections.count else { return }
    let places = (sections.count...section).map { ListDifference<Section>.Place($0, Section()) }
    perform(.sections(ListDifference(oldCount: sections.count, insertions: places)))
  }
}
