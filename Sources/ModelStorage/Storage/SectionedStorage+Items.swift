extension SectionedStorage {
  /// Adds items at the end of a section.
  ///
  /// - Throws: `StorageAnomaly.insertionOutside` if the section's index is negative, `.tooManySections` if it
  ///   is too large.
  @discardableResult
  public mutating func append(
    _ items: [Item], to section: Int = 0
  ) throws(StorageAnomaly) -> Update? {
    guard try canHave(section) else { return nil }
    createSections(upTo: section)
    insert(items, at: ItemPath(section: section, item: sections[section].items.count))
    return finish()
  }

  /// Inserts one item.
  ///
  /// - Throws: as `insert(_:at:)` of several.
  @discardableResult
  public mutating func insert(_ item: Item, at path: ItemPath) throws(StorageAnomaly) -> Update? {
    try insert([item], at: [path])
  }

  /// Inserts each item at its path, one after the other: a path counts the items inserted before it.
  ///
  /// - Throws: `StorageAnomaly.batchCountMismatch` if there are not as many paths as items;
  ///   `.insertionOutside` if a path is after the end, `.tooManySections`. The storage is then unchanged: it has no new
  ///   section either.
  @discardableResult
  public mutating func insert(
    _ items: [Item], at paths: [ItemPath]
  ) throws(StorageAnomaly) -> Update? {
    guard items.count == paths.count else {
      try report(.batchCountMismatch(items: items.count, paths: paths.count))
      return nil
    }
    var inserted: [Int: Int] = [:]
    for path in paths {
      let count = (self.items(in: path.section)?.count ?? 0) + inserted[path.section, default: 0]
      guard path.section >= 0, (0...count).contains(path.item) else {
        try report(.insertionOutside(path, count: count))
        return nil
      }
      guard try canHave(path.section) else { return nil }
      inserted[path.section, default: 0] += 1
    }
    for (item, path) in zip(items, paths) {
      createSections(upTo: path.section)
      insert([item], at: path)
    }
    return finish()
  }

  /// Gives the first item of this identity the content of `item`, and tells receivers even if it is
  /// the same. Does nothing if there is none.
  @discardableResult
  public mutating func reload(_ item: Item) -> Update? {
    guard let path = firstPath(of: item.id) else { return nil }
    update(item, at: path)
    return finish()
  }

  /// Puts an item in the place of the first one of an identity.
  ///
  /// - Throws: `StorageAnomaly.replaceNotFound` if there is none.
  @discardableResult
  public mutating func replace(
    _ id: Item.ID, with item: Item
  ) throws(StorageAnomaly) -> Update? {
    guard let path = firstPath(of: id) else {
      try report(.replaceNotFound(id: "\(id)"))
      return nil
    }
    update(item, at: path)
    return finish()
  }

  /// Removes, for each of these identities, one item: the first one, and if the identity is named
  /// again, the next one. All are found before one is removed.
  ///
  /// - Throws: `StorageAnomaly.removeNotFound` if there is none. The storage is then unchanged.
  @discardableResult
  public mutating func remove(_ ids: [Item.ID]) throws(StorageAnomaly) -> Update? {
    var wanted: [Item.ID: Int] = [:]
    for id in ids { wanted[id, default: 0] += 1 }
    var paths: [ItemPath] = []
    for (section, content) in sections.enumerated() {
      for (index, item) in content.items.enumerated() where wanted[item.id, default: 0] > 0 {
        wanted[item.id, default: 0] -= 1
        paths.append(ItemPath(section: section, item: index))
      }
    }
    if let missing = ids.first(where: { wanted[$0, default: 0] > 0 }) {
      try report(.removeNotFound(id: "\(missing)"))
      return nil
    }
    return remove(at: paths)
  }

  /// Removes the items at these paths of the storage as it is now. A path without an item, or named
  /// twice, is left out.
  @discardableResult
  public mutating func remove(at paths: [ItemPath]) -> Update? {
    let found = Set(paths.filter { self[$0] != nil })
    for section in Set(found.map(\.section)).sorted() {
      let indices = found.filter { $0.section == section }.map(\.item).sorted()
      let count = sections[section].items.count
      perform(.items(section: section, ListDifference(oldCount: count, removals: indices)))
    }
    return finish()
  }

  /// Removes all items of a section, and keeps the section. Does nothing if there is no such section.
  @discardableResult
  public mutating func removeItems(in section: Int) -> Update? {
    guard let count = items(in: section)?.count, count > 0 else { return nil }
    perform(
      .items(section: section, ListDifference(oldCount: count, removals: Array(0..<count))))
    return finish()
  }

  /// Moves an item. The index of `to` counts after the removal.
  ///
  /// - Throws: `StorageAnomaly.movePathsInvalid`, `.moveSourceNotFound`, `.moveDestinationOutside` or
  ///   `.tooManySections`. The storage is then unchanged: it has no new section either.
  @discardableResult
  public mutating func move(
    from: ItemPath, to: ItemPath
  ) throws(StorageAnomaly) -> Update? {
    guard min(from.section, from.item, to.section, to.item) >= 0 else {
      try report(.movePathsInvalid(from: from, to: to))
      return nil
    }
    guard self[from] != nil else {
      try report(.moveSourceNotFound(from))
      return nil
    }
    let count = (items(in: to.section)?.count ?? 0) - (from.section == to.section ? 1 : 0)
    guard to.item <= count else {
      try report(.moveDestinationOutside(to, count: count))
      return nil
    }
    guard try canHave(to.section) else { return nil }
    createSections(upTo: to.section)
    if from != to { perform(.move(from: from, to: to)) }
    return finish()
  }

  /// Gives a section these items, and tells receivers the difference.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - section: The index of the section, which is created if it is missing.
  ///   - algorithm: Computes the difference.
  /// - Throws: as `append`, and `StorageAnomaly.wrongDifference` if the difference does not lead to `items`.
  ///   The storage is then unchanged.
  @discardableResult
  public mutating func setItems(
    _ items: [Item], in section: Int = 0,
    by algorithm: some DifferenceAlgorithm = IdentityDifference()
  ) throws(StorageAnomaly) -> Update? {
    guard try canHave(section) else { return nil }
    let old = self.items(in: section) ?? []
    let difference = algorithm.difference(from: old, to: items)
    var made = old
    // Programs bring algorithms of their own.
    guard (try? difference.apply(to: &made)) != nil, made == items else {
      try report(
        .wrongDifference(section: section, oldCount: old.count, newCount: items.count))
      return nil
    }
    createSections(upTo: section)
    if !difference.isEmpty { perform(.items(section: section, difference)) }
    return finish()
  }

  /// Adds items to those of a section by a strategy, and tells receivers the difference; as
  /// `setItems`.
  @discardableResult
  public mutating func accumulate(
    _ items: [Item], by strategy: AccumulationStrategy, in section: Int = 0,
    difference algorithm: some DifferenceAlgorithm = IdentityDifference()
  ) throws(StorageAnomaly) -> Update? {
    let old = self.items(in: section) ?? []
    return try setItems(strategy.accumulate(items, onto: old), in: section, by: algorithm)
  }

  /// Inserts items one after the other from a path on, which is in the storage.
  private mutating func insert(_ items: [Item], at path: ItemPath) {
    guard !items.isEmpty else { return }
    let places = items.enumerated().map {
      ListDifference<Item>.Place(path.item + $0.offset, $0.element)
    }
    let count = sections[path.section].items.count
    perform(
      .items(section: path.section, ListDifference(oldCount: count, insertions: places)))
  }

  /// Replaces the item at a path, which is in the storage.
  private mutating func update(_ item: Item, at path: ItemPath) {
    let place = ListDifference<Item>.Place(path.item, item)
    let count = sections[path.section].items.count
    perform(.items(section: path.section, ListDifference(oldCount: count, updates: [place])))
  }
}
