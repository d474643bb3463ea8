import EditModel
import EditProtocol

/// The output of `blame --porcelain`: an entry for each part of a line that has one writer.
///
/// The first line of an entry has numbers, separated by spaces. After it come the facts about the
/// edit if this is its first entry, each on a line; the last line is a tab and the text.
struct BlamePorcelain {
  private let session: Session
  private var cutter: LineCutter
  private var known: Set<SequenceNumber> = []

  /// Entries of a text that begins with this line.
  init(_ session: Session, from line: Int) {
    self.session = session
    cutter = LineCutter(from: line)
  }

  /// The entries of a piece: `SEQUENCE LINE LOCATION LENGTH`.
  mutating func entries(of piece: ShownBlamePiece) -> String {
    let known = facts(of: piece.stamp, piece.session, piece.client)
    return entries(of: piece.text, at: piece.range.location, known) { _ in
      "\(piece.stamp.sequence)"
    }
  }

  /// The entries of a piece: `now NOW LINE LOCATION LENGTH` or `vanished SEQUENCE LINE LOCATION LENGTH`.
  mutating func entries(of fate: ShownPieceFate) -> String {
    let known = fate.vanished.map { facts(of: $0) } ?? ""
    return entries(of: fate.text, at: fate.range.location, known) { offset in
      fate.now.map { "now \($0 + offset)" } ?? "vanished \(fate.vanished?.sequence ?? 0)"
    }
  }

  private mutating func entries(
    of text: UTF16Text, at location: Int, _ facts: String, head: (_ offset: Int) -> String
  ) -> String {
    var (result, offset) = ("", 0)
    for part in cutter.parts(of: text) {
      result += "\(head(offset)) \(part.line) \(location + offset) \(part.length)\n"
      if offset == 0 { result += facts }
      result += "\t" + session.shown(UTF16Text(units: Array(part.units))) + "\n"
      offset += part.length
    }
    return result
  }

  /// The facts about an edit; none if it had an entry before.
  private mutating func facts(
    of stamp: ShownStamp, _ session: SessionID? = nil, _ client: String? = nil
  ) -> String {
    guard known.insert(stamp.sequence).inserted else { return "" }
    let facts = [
      ("author", stamp.author?.shown), ("time", stamp.time?.rfc3339),
      ("origin", stamp.origin?.name), ("session", session?.name.shown),
      ("client", client?.shown),
    ]
    return facts.reduce(into: "") { result, fact in
      if let value = fact.1 { result += "\(fact.0) \(value)\n" }
    }
  }
}
