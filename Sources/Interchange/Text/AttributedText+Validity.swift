import EditModel
import Styling

extension AttributedText {
  /// Removes attributes whose values they cannot have, such as a heading of level 99. O(n), or O(runs) if there
  /// are none.
  ///
  /// - Returns: What was removed, one line for each name.
  package mutating func removeInvalidValues() -> [String] {
    guard runs.contains(where: { Theme.problem(of: $0.attributes) != nil }) else { return [] }
    var found: [(name: String, problem: String, count: Int)] = []
    var text = AttributedText()
    forEachRun { units, attributes in
      var valid = attributes
      for (name, value) in attributes {
        guard let problem = Theme.problem(of: name, value) else { continue }
        valid[name] = nil
        if let index = found.firstIndex(where: { $0.name.isExactly(name) }) {
          found[index].count += units.count
        } else {
          found.append((name, problem, units.count))
        }
      }
      text.append(units, valid)
    }
    self = text
    return found.map {
      "\($0.name) left out of \($0.count) UTF-16 \($0.count == 1 ? "unit" : "units"): it \($0.problem)"
    }
  }
}
