import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

extension DiffCommand {
  /// Lists the paragraphs that differ, by their identifiers.
  func listParagraphs(
    from older: PointExpression, to newer: PointExpression, in session: Session
  ) async throws {
    var part = try await session.ask(name, reading) {
      ParagraphDiffRequest($0, from: older, to: newer)
    }
    let (from, to) = (PointExpression.sequence(part.from), PointExpression.sequence(part.to))
    let isDifferent = !part.changes.isEmpty
    var table = session.table(
      [
        .init(title: "CHANGE"), .init(title: "PARAGRAPH"), .init(title: "RANGE", rank: 1),
        .init(title: "TEXT", cutWidth: 12),
      ])
    try print(part.changes, &table, session)
    while let next = part.next {
      part = try await session.ask(name, reading.afterFirstPart) {
        ParagraphDiffRequest($0, from: from, to: to, offset: next)
      }
      try print(part.changes, &table, session)
    }
    if isDifferent { throw ExitCode(1) }
  }

  private func print(
    _ changes: [ShownParagraphDifference], _ table: inout Table, _ session: Session
  ) throws {
    if common.json {
      return try session.printJSON(each: changes, ShownParagraphDifference.codec)
    }
    for change in changes {
      let from = change.movedFrom.map { " from \($0)" } ?? ""
      table.append([
        .init(change.change.shown, change.change.role),
        .init("\(change.id)\(from)", .sequence), .init("\(change.range)", .range),
        .init(excerpt: String(change.text ?? change.oldText ?? UTF16Text())),
      ])
    }
    try session.print(&table)
  }
}

extension ShownParagraphDifference.Change {
  /// The word for people.
  fileprivate var shown: String { self == .attributesChanged ? "attributes" : rawValue }

  fileprivate var role: Style.Role {
    switch self {
    case .added: .added
    case .removed: .removed
    case .edited, .moved, .attributesChanged: .hunk
    }
  }
}
