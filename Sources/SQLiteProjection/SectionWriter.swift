import EditModel
import GRDB
import Projections
import TextState

/// Writes the sections of a document, by its headings.
///
/// Invariant: before and after, the rows are the sections of one version.
struct SectionWriter {
  let db: Database
  let document: String

  /// The sections of a version, and what changed since the rows were written.
  struct Change {
    var outline: FollowedOutline
    /// The sections before, and those that changed; nil if all rows are written anew.
    var changed: (before: [FollowedOutline.Section], indices: Set<Int>)?
  }

  /// The change of the sections from one version to another. Without `old` all rows are written.
  static func change(
    of old: FollowedOutline?, from before: TextState?, to after: TextState
  ) -> Change {
    guard var outline = old, let before else {
      return Change(outline: FollowedOutline(of: after, rule: .headings))
    }
    let sections = outline.sections
    let events = after.difference(from: before).paragraphEvents
    guard case .places(let places) = outline.apply(events, from: before, to: after) else {
      return Change(outline: outline)
    }
    return Change(outline: outline, changed: (sections, Set(places.map(\.section))))
  }

  func write(_ change: Change) throws {
    guard let (before, indices) = change.changed else { return try writeAll(change.outline) }
    for index in indices.sorted() where change.outline.sections[index] != before[index] {
      try update(index, to: change.outline.sections[index], from: before[index])
    }
  }

  private func writeAll(_ outline: FollowedOutline) throws {
    try db.execute(sql: "DELETE FROM sections WHERE document = ?", arguments: [document])
    var row = try RowWriter(db, "INSERT INTO sections VALUES(?,?,?,?,?,?,?,?,?,?,?)")
    row.bind(document)
    row.keep()
    var first = 0
    for (index, section) in outline.sections.enumerated() {
      row.bind(index)
      row.bind(section.id)
      row.bind(section.level)
      row.bind(section.heading)
      row.bind(first)
      row.bind(section.paragraphCount)
      row.bind(section.length)
      row.bind(section.wordCount)
      row.bind(section.characterCount)
      row.bind(section.firstEdit)
      try row.run()
      first += section.paragraphCount
    }
  }

  private func update(
    _ index: Int, to section: FollowedOutline.Section, from before: FollowedOutline.Section
  ) throws {
    var row = try RowWriter(
      db,
      """
      UPDATE sections SET level = ?, heading = ?, paragraphs = ?, length = ?, words = ?,
          characters = ?, first_sequence = ?
        WHERE document = ? AND position = ?
      """)
    row.bind(section.level)
    row.bind(section.heading)
    row.bind(section.paragraphCount)
    row.bind(section.length)
    row.bind(section.wordCount)
    row.bind(section.characterCount)
    row.bind(section.firstEdit)
    row.bind(document)
    row.bind(index)
    try row.run()
    let shift = section.paragraphCount - before.paragraphCount
    guard shift != 0 else { return }
    var later = try RowWriter(
      db,
      """
      UPDATE sections SET first_paragraph = first_paragraph + ? WHERE document = ? AND position > ?
      """)
    later.bind(shift)
    later.bind(document)
    later.bind(index)
    try later.run()
  }
}
