import EditJSON
import EditModel
import EditProtocol
import GRDB
import Projections
import TextState

/// Writes what differs between the paragraphs of two versions of a document.
///
/// Invariant: before and after, the living rows are the paragraphs of one version, with its
/// positions, locations and texts.
///
/// Paragraphs that did not change are not written one by one. Runs of them that moved are shifted, and
/// runs that were removed are marked, by one statement each.
struct ParagraphWriter {
  let db: Database
  let document: String
  /// The version that the rows have. Nil if there are no rows.
  let old: TextState?
  /// The version that they get.
  let new: TextState
  /// The histories of the paragraphs of `new`.
  let models: ParagraphModels

  /// A run of removed paragraphs of one edit, whose rows have their last texts.
  private struct RemovedRun {
    /// Their positions in `old`.
    var positions: Range<Int>
    let death: ParagraphDeath
    /// A paragraph's position in the version before its removal minus that in `old`.
    let shift: Int
  }

  /// A run of paragraphs that did not change, with the distances that it moves.
  private struct MovedRun {
    var positions: Range<Int>
    let shift: (position: Int, location: Int)
  }

  /// `touched` are the paragraphs that changed, `removed` those that were only removed.
  func write(touched: Set<ParagraphID>, removed: Set<ParagraphID>) throws {
    let gone = removed.subtracting(touched)
    for run in removedRuns(of: gone) { try markRemoved(run) }
    if let old { try shift(movedRuns(without: touched.union(gone), in: old)) }
    try put(touched)
  }

  // MARK: removed paragraphs

  private func removedRuns(of removed: Set<ParagraphID>) -> [RemovedRun] {
    guard let old else { return [] }
    let dead = removed.compactMap { id -> (position: Int, death: ParagraphDeath)? in
      guard let place = old.paragraph(id), let death = models[id]?.death else { return nil }
      return (place.index, death)
    }.sorted { $0.position < $1.position }
    var runs: [RemovedRun] = []
    for (position, death) in dead {
      let shift = death.index - position
      if let last = runs.last, last.positions.upperBound == position, last.shift == shift,
        last.death.stamp == death.stamp, last.death.mergedInto == death.mergedInto
      {
        runs[runs.count - 1].positions = last.positions.lowerBound..<position + 1
      } else {
        runs.append(RemovedRun(positions: position..<position + 1, death: death, shift: shift))
      }
    }
    return runs
  }

  private func markRemoved(_ run: RemovedRun) throws {
    let death = run.death
    var history = try RowWriter(
      db,
      """
      INSERT INTO paragraph_versions
        SELECT document, id, ?1, ?1, 1, ?2, ?3, ?4, ?5, NULL, NULL, NULL FROM paragraphs
        WHERE document = ?6 AND position >= ?7 AND position < ?8
      """)
    history.bindVersion(death)
    bind(run.positions, to: &history)
    try history.run()
    var row = try RowWriter(
      db,
      """
      UPDATE paragraphs SET died_sequence = ?, died_time = ?, died_author = ?, merged_into = ?,
          died_position = position + ?, position = NULL, location = NULL, kind = NULL,
          level = NULL, attributes = NULL
        WHERE document = ? AND position >= ? AND position < ?
      """)
    row.bind(death.stamp)
    row.bind(death.mergedInto)
    row.bind(run.shift)
    bind(run.positions, to: &row)
    try row.run()
  }

  /// Binds the document and its positions, the last parameters of a statement.
  private func bind(_ positions: Range<Int>, to row: inout RowWriter) {
    row.bind(document)
    row.bind(positions.lowerBound)
    row.bind(positions.upperBound)
  }

  // MARK: paragraphs that moved

  /// The runs of paragraphs of `old` that did not change and move: all but `changed`, cut where new ones
  /// were inserted between them.
  private func movedRuns(without changed: Set<ParagraphID>, in old: TextState) -> [MovedRun] {
    var (gaps, inserted): ([Range<Int>], [Int]) = ([], [])
    for id in changed {
      if let index = old.paragraph(id)?.index {
        gaps.append(index..<index + 1)
      } else if let index = new.paragraph(id)?.index {
        inserted.append(index)
      }
    }
    inserted.sort()
    for (index, next) in zip(inserted, inserted.dropFirst() + [.max])
    where next != index + 1 && index + 1 < new.paragraphCount {
      // The first paragraph after inserted ones was there before.
      guard let cut = old.paragraph(new.paragraph(at: index + 1).id)?.index else { continue }
      gaps.append(cut..<cut)
    }
    gaps.sort { $0.lowerBound < $1.lowerBound }
    var (runs, start): ([MovedRun], Int) = ([], 0)
    for gap in gaps + [old.paragraphCount..<old.paragraphCount] {
      defer { start = max(start, gap.upperBound) }
      guard start < gap.lowerBound else { continue }
      let before = old.paragraph(at: start)
      guard let now = new.paragraph(before.id) else { continue }
      let shift = (
        position: now.index - start, location: now.descriptor.range.location - before.range.location
      )
      if shift != (0, 0) { runs.append(MovedRun(positions: start..<gap.lowerBound, shift: shift)) }
    }
    return runs
  }

  /// Moves the rows of runs, which are in order. A run never moves onto rows that have yet to move: those
  /// that move up are moved from the last to the first, then the others from the first to the last.
  private func shift(_ runs: [MovedRun]) throws {
    var row = try RowWriter(
      db,
      """
      UPDATE paragraphs SET position = position + ?, location = location + ?
        WHERE document = ? AND position >= ? AND position < ?
      """)
    // Rows that do not change their position may change their location.
    let up = runs.filter { $0.shift.position > 0 }.reversed()
    for run in Array(up) + runs.filter({ $0.shift.position <= 0 }) {
      row.bind(run.shift.position)
      row.bind(run.shift.location)
      bind(run.positions, to: &row)
      try row.run()
    }
  }

  // MARK: paragraphs that changed

  private func put(_ touched: Set<ParagraphID>) throws {
    var row = try RowWriter(
      db,
      """
      INSERT INTO paragraphs VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL)
        ON CONFLICT(document, id) DO UPDATE SET position = excluded.position,
          location = excluded.location, length = excluded.length, text = excluded.text,
          edited_sequence = excluded.edited_sequence, edited_time = excluded.edited_time,
          edited_author = excluded.edited_author, edit_count = excluded.edit_count,
          authors = excluded.authors, died_sequence = excluded.died_sequence,
          died_time = excluded.died_time, died_author = excluded.died_author,
          died_position = excluded.died_position, merged_into = excluded.merged_into,
          moved_to = excluded.moved_to, kind = excluded.kind, level = excluded.level,
          attributes = excluded.attributes
      """)
    row.bind(document)
    row.keep()
    for id in touched.sorted() {
      guard let model = models[id] else { continue }
      // The removal of a paragraph has a version of its own.
      if let death = model.death { try putRemoval(id, death) }
      try put(model, &row)
    }
  }

  private func put(_ model: ParagraphModel, _ row: inout RowWriter) throws {
    let place = new.paragraph(model.id)
    let text = place.map { new.text(in: $0.descriptor.range) } ?? model.death?.lastText
    row.bind(model.id)
    row.bind(place?.index)
    row.bind(place?.descriptor.range.location)
    row.bind(text?.count ?? 0)
    row.bind(text ?? UTF16Text())
    row.bind(model.born)
    row.bind(model.splitFrom)
    row.bind(model.lastEdited)
    row.bind(model.editCount)
    row.bind(model.authors.jsonText)
    row.bind(model.death?.stamp)
    row.bind(model.death?.index)
    row.bind(model.mergedInto)
    row.bind(model.movedTo)
    row.bind(attributesOf: place.map { new.attributeRuns(in: $0.descriptor.range) })
    try row.run()
  }

  /// Adds the version of a paragraph that ends it.
  private func putRemoval(_ id: ParagraphID, _ death: ParagraphDeath) throws {
    var row = try RowWriter(
      db,
      """
      INSERT OR IGNORE INTO paragraph_versions
        VALUES(?6, ?7, ?1, ?1, 1, ?2, ?3, ?4, ?5, NULL, NULL, NULL)
      """)
    row.bindVersion(death)
    row.bind(document)
    row.bind(id)
    try row.run()
  }
}

extension RowWriter {
  /// Binds the kind, the level and the attributes of a paragraph with these runs; NULL for a removed one.
  fileprivate mutating func bind(attributesOf runs: [AttributeRun]?) {
    let kind = runs.map { BlockKind($0.first?.attributes ?? [:]) }
    bind(kind?.name)
    bind(kind?.level)
    let isPlain = runs?.allSatisfy(\.attributes.isEmpty) ?? true
    bind(
      isPlain
        ? nil
        : runs.map {
          String(decoding: JSON.array($0.map(\.json)).serialized(), as: UTF8.self)
        })
  }

  /// Binds number, time, author and origin of a removal, and what it is in `paragraph_versions`.
  fileprivate mutating func bindVersion(_ death: ParagraphDeath) {
    bind(death.stamp)
    bind(death.stamp.origin)
    bind(death.mergedInto.map { "merged:\($0)" } ?? "removed")
  }
}

extension [String] {
  /// The names as a JSON array.
  fileprivate var jsonText: String {
    isEmpty
      ? "[]"
      : String(decoding: JSON.array(map { JSON($0) }).serialized(), as: UTF8.self)
  }
}
