import EditProtocol

// The keys that the last row names.
extension ScrubState {
  /// The keys, from left to right. Those with a higher number are left out first on a narrow screen.
  private static let hints: [(text: String, order: Int)] = [
    ("space play", 1), (", . edit", 2), ("h l step", 3), ("/ find", 4), ("d diff", 6),
    ("b blame", 7), ("r restore", 5), ("? keys", 0),
  ]

  /// What the last row of a roomy screen says: whole hints, as many as fit.
  var hint: String {
    if mode == .matches { return "j k choose  Enter stay  Esc back" }
    for last in (0..<Self.hints.count).reversed() {
      let line = Self.hints.filter { $0.order <= last }.map(\.text).joined(separator: "  ")
      if line.count <= size.columns { return line }
    }
    return ""
  }

  /// The selected match and the keys of the list, for a screen without room for the list. Nil if no match is
  /// chosen now.
  var narrowMatchLine: String? {
    guard mode == .matches, let found, found.matches.indices.contains(found.selected) else {
      return nil
    }
    let match = found.matches[found.selected]
    let fate = match.vanished == nil ? "now" : "deleted"
    let number = "\((found.selected + 1).grouped) of \(found.count.grouped)"
    let lines = [
      "match \(number), \(fate), @\(match.place.version)  j k  Enter  Esc",
      "match \(number), \(fate)  j k  Enter  Esc", "match \(number)  j k  Enter  Esc",
      "\(number)  j k Enter Esc",
    ]
    return lines.first { $0.count <= size.columns } ?? number
  }
}
