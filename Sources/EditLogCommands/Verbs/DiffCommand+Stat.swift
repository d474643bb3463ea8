import EditJSON
import EditModel
import EditProtocol

extension DiffCommand {
  /// The numbers of lines of a unified diff.
  struct LineCount {
    private(set) var (inserted, deleted) = (0, 0)

    /// Adds the next lines of the diff.
    mutating func add(_ unified: String, hasHeader: Bool) {
      var isInHeader = hasHeader
      for line in unified.utf8.split(separator: 0x0A) {
        switch line.first {
        case UInt8(ascii: "@"): isInHeader = false
        case UInt8(ascii: "+") where !isInHeader: inserted += 1
        case UInt8(ascii: "-") where !isInHeader: deleted += 1
        default: break
        }
      }
    }
  }

  /// Prints the numbers of lines, and that of ranges with other attributes.
  func printStat(
    _ lines: LineCount, _ first: DiffAnswer, _ last: DiffAnswer, _ session: Session
  ) throws {
    let ranges = last.attributeChanges.count
    if common.json {
      let object: JSON = [
        "from": JSON(first.from), "to": JSON(first.to), "insertions": JSON(lines.inserted),
        "deletions": JSON(lines.deleted), "attributeChanges": JSON(ranges),
      ]
      return try session.printJSON(object)
    }
    var parts: [String] = []
    func add(_ count: Int, _ what: String, _ role: Style.Role, _ sign: String) {
      guard count > 0 else { return }
      parts.append(
        "\(Numbers.grouped(count)) \(what)\(count == 1 ? "" : "s")"
          + (sign.isEmpty ? "" : session.style.paint(sign, role)))
    }
    add(lines.inserted, "insertion", .added, "(+)")
    add(lines.deleted, "deletion", .removed, "(-)")
    add(ranges, "range", .plain, " with other attributes")
    guard !parts.isEmpty else { return }
    let versions = "\(first.from) to \(first.to)"
    try session.output.writeLine("\(name.shown), \(versions): " + parts.joined(separator: ", "))
  }
}
