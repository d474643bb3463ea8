/// How new items are added to old ones, such as a page of results to the pages before it.
///
/// Each strategy is the same as adding the new items one after the other. So of new items of one
/// identity the last one counts, unless all are kept.
public enum AccumulationStrategy: Hashable, Sendable, CaseIterable {
  /// New items follow the old ones. Items of one identity are all kept.
  case additive
  /// A new item takes the place of the first one of its identity; if there is none, it comes last.
  case updateOld
  /// A new item removes those of its identity, and comes last.
  case deleteOld

  /// The old items with the new ones added. O(n).
  public func accumulate<Item: Identifiable>(_ new: [Item], onto old: [Item]) -> [Item] {
    switch self {
    case .additive: return old + new
    case .updateOld:
      var (items, places) = (old, [Item.ID: Int]())
      for (index, item) in old.enumerated() where places[item.id] == nil {
        places[item.id] = index
      }
      for item in new {
        if let place = places[item.id] {
          items[place] = item
        } else {
          places[item.id] = items.count
          items.append(item)
        }
      }
      return items
    case .deleteOld:
      var last: [Item.ID: Int] = [:]
      for (index, item) in new.enumerated() { last[item.id] = index }
      return old.filter { last[$0.id] == nil }
        + new.enumerated().filter { last[$0.element.id] == $0.offset }.map(\.element)
    }
  }
}
