import EditModel
import EditProtocol

extension ShownStamp {
  /// `edit 12, 2026-11-20 15:04:05, by ann`.
  func sentence(_ session: Session) -> String {
    guard sequence > 0 else { return "with the document" }
    let parts = [
      "edit \(sequence)", session.localTime(time),
      author.map { "by " + Excerpt.name($0, width: 24) },
      origin.map(\.name),
    ]
    return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

extension [ParagraphID] {
  /// `3.0 5.1`, the first 20.
  var shown: String {
    prefix(20).map { "\($0)" }.joined(separator: " ") + (count > 20 ? " … (\(count))" : "")
  }
}

extension ParagraphDetails {
  /// Labels and values, for a list.
  func facts(_ session: Session) -> [(label: String, value: String)] {
    var facts: [(String, String)] = []
    if let positional { facts.append(("positional", "\(positional)")) }
    if let life {
      let edits = life.editCount == 1 ? "1 edit" : "\(Numbers.grouped(life.editCount)) edits"
      let authors = life.authors.map { Excerpt.name($0, width: 24) }.joined(separator: ", ")
      facts += [
        ("born", life.born.sentence(session)),
        ("last edited", life.lastEdited.sentence(session)),
        ("edits", edits + (authors.isEmpty ? "" : " by " + authors)),
      ]
    }
    if let lineage {
      let links = [
        ("split from", lineage.splitFrom.map { [$0] } ?? []), ("children", lineage.children),
        ("absorbed", lineage.absorbed), ("moved from", lineage.movedFrom),
        ("merged into", lineage.mergedInto.map { [$0] } ?? []),
        ("moved to", lineage.movedTo.map { [$0] } ?? []),
        ("revival of", lineage.revivalOf.map { [$0] } ?? []),
        ("revived as", lineage.revivedAs.map { [$0] } ?? []),
      ]
      facts += links.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.shown) }
    }
    return facts
  }
}
