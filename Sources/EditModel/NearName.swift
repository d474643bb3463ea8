/// Finds the name that somebody meant.
package enum NearName {
  /// The one of `names` that is so near to `name` that it may have been meant; nil if none is. Of two
  /// equally near ones it is the first. O(names · length²), of which at most 32 characters count.
  package static func of(_ name: String, in names: [String]) -> String? {
    var nearest: (distance: Int, name: String)?
    for each in names {
      let distance = distance(name, each)
      if distance < nearest?.distance ?? .max { nearest = (distance, each) }
    }
    guard let nearest else { return nil }
    let isNear =
      nearest.distance <= max(1, name.count / 3)
      || !name.isEmpty && nearest.name.hasPrefix(name)
    return isNear ? nearest.name : nil
  }

  /// Insertions, deletions, replacements and exchanges of neighbours that make one name the other
  /// (optimal string alignment). O(n · m) for names of n and m characters, of which 32 count.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.prefix(32)), Array(right.prefix(32)))
    var rows = [Array(0...right.count)]
    for row in left.indices {
      rows.append([row + 1])
      for column in right.indices {
        var least = min(
          rows[row][column] + (left[row] == right[column] ? 0 : 1), rows[row][column + 1] + 1,
          rows[row + 1][column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        rows[row + 1].append(least)
      }
    }
    return rows[left.count][right.count]
  }
}
