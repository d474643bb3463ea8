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
      return try session.printJSON(
        DiffSummary(
          from: first.from, to: first.to, inserted: lines.inserted, deleted: lines.deleted,
          attributeChanges: ranges), DiffSummary.codec)
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

/// The difference of two versions in numbers.
struct DiffSummary: Hashable, Sendable {
  var (from, to): (SequenceNumber, SequenceNumber)
  /// Lines.
  var (inserted, deleted): (Int, Int)
  /// Ranges with other attributes.
  var attributeChanges: Int

  init(
    from: SequenceNumber, to: SequenceNumber, inserted: Int, deleted: Int, attributeChanges: Int
  ) {
    (self.from, self.to, self.inserted, self.deleted) = (from, to, inserted, deleted)
    self.attributeChanges = attributeChanges
  }

  static let codec = Codec<Self>(
    { DiffSummary(from: $0, to: $1, inserted: $2, deleted: $3, attributeChanges: $4) },
    .required("from", \.from, .unsigned), .required("to", \.to, .unsigned),
    .required("insertions", \.inserted, .count), .required("deletions", \.deleted, .count),
    .required("attributeChanges", \.attributeChanges, .count))
}
