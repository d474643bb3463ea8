import EditJSON
import EditModel
import EditProtocol
import GRDB
import Projections

/// Writes the rows of a batch, but for those of paragraphs. All are of one document.
struct BatchWriter {
  let db: Database
  let document: String

  /// Adds a row for each edit.
  func write(_ edits: [(edit: Edit, removed: UTF16Text?)]) throws {
    var row = try RowWriter(db, "INSERT INTO edits VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    row.bind(document)
    row.keep()
    for (edit, removed) in edits {
      let action = edit.action
      row.bind(edit.sequence)
      row.bind(edit.time)
      row.bind(edit.author)
      row.bind(edit.origin)
      row.bind(action.range.location)
      row.bind(action.range.length)
      row.bind(action.changeInLength)
      row.bind(action.replacement)
      row.bind(action.range.length == 0 ? nil : removed)
      row.bind(action.attributes.sql)
      row.bind(edit.transaction)
      row.bind(edit.session?.name)
      row.bind(edit.counter)
      row.bind(edit.clientTime)
      row.bind(edit.selection.map { String(decoding: $0.json.serialized(), as: UTF8.self) })
      try row.run()
    }
  }

  /// Adds a row for each event.
  func write(_ events: [(number: Int, event: HistoryEvent)]) throws {
    for (number, event) in events {
      switch event.kind {
      case .mark(let label, let sequence):
        var row = try RowWriter(db, "INSERT INTO marks VALUES(?,?,?,?,?,?)")
        row.bind(document)
        row.bind(number)
        row.bind(label)
        row.bind(sequence)
        row.bind(event.time)
        row.bind(event.author)
        try row.run()
      case .session(let client):
        var row = try RowWriter(db, "INSERT INTO sessions VALUES(?,?,?,?,?,?,?,?,?,?)")
        row.bind(document)
        row.bind(number)
        row.bind(event.after)
        row.bind(event.time)
        row.bind(event.session?.name)
        row.bind(event.author)
        row.bind(client.client)
        row.bind(client.version)
        row.bind(client.host)
        row.bind(client.process.map { Int($0) })
        try row.run()
      case .baseline, .saved, .closed, .divergence, .renamed, .copied, .undo:
        var row = try RowWriter(db, "INSERT INTO events VALUES(?,?,?,?,?,?,?,?)")
        let json = event.json
        row.bind(document)
        row.bind(number)
        row.bind(try json["event"]?.asString())
        row.bind(event.after)
        row.bind(event.time)
        row.bind(event.author)
        row.bind(event.session?.name)
        row.bind(String(decoding: json.serialized(), as: UTF8.self))
        try row.run()
      }
    }
  }

  /// Removes the rows of versions that became part of the version before.
  func delete(_ versions: [(paragraph: ParagraphID, first: SequenceNumber)]) throws {
    var row = try RowWriter(
      db,
      "DELETE FROM paragraph_versions WHERE document = ? AND paragraph = ? AND first_sequence = ?")
    for (paragraph, first) in versions {
      row.bind(document)
      row.bind(paragraph)
      row.bind(first)
      try row.run()
    }
  }

  /// Adds a row for each version of a paragraph, or replaces the row of its first edits.
  func write(_ versions: [(version: RowCollector.Version, text: VersionText)]) throws {
    var row = try RowWriter(
      db,
      """
      INSERT INTO paragraph_versions VALUES(?,?,?,?,?,?,?,?,?,?,?,?)
        ON CONFLICT DO UPDATE SET last_sequence = excluded.last_sequence,
          edit_count = excluded.edit_count, time = excluded.time, author = excluded.author,
          origin = excluded.origin, changes = excluded.changes,
          kept_start = excluded.kept_start, kept_end = excluded.kept_end, text = excluded.text
      """)
    for (version, text) in versions {
      row.bind(document)
      row.bind(version.paragraph)
      row.bind(version.sequences.lowerBound)
      row.bind(version.sequences.upperBound)
      row.bind(version.editCount)
      row.bind(version.stamp.time)
      row.bind(version.stamp.author)
      row.bind(version.stamp.origin)
      row.bind(version.changes.joined(separator: " "))
      row.bind(text.kept?.start)
      row.bind(text.kept?.end)
      row.bind(text.text)
      try row.run()
    }
  }

  /// Writes the undo steps that changed. `current` is the step that the rows have as the current one,
  /// with the step before it.
  func write(
    _ changed: Set<Int>, of undo: UndoTree, after current: (number: Int, parent: Int)
  ) throws {
    // The last step may have been taken back, if its transaction moved on to a step after all.
    try db.execute(
      sql: "DELETE FROM undo_steps WHERE document = ? AND step > ?",
      arguments: [document, undo.steps.last?.number ?? 0])
    let (left, entered) = undo.path(from: current.parent)
    let numbers = changed.union(left).union(entered)
      .union([current.number, undo.current, undo.steps.last?.number ?? 0])
    var row = try RowWriter(
      db,
      """
      INSERT INTO undo_steps VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)
        ON CONFLICT DO UPDATE SET parent = excluded.parent,
          first_sequence = excluded.first_sequence, last_sequence = excluded.last_sequence,
          edit_count = excluded.edit_count, inserted = excluded.inserted,
          deleted = excluded.deleted, is_undone = excluded.is_undone, origin = excluded.origin,
          author = excluded.author, first_time = excluded.first_time,
          last_time = excluded.last_time
      """)
    let present = undo.presentSteps(among: numbers)
    for number in numbers.sorted() where number > 0 {
      guard let step = undo[number] else { continue }
      row.bind(document)
      row.bind(step.number)
      row.bind(step.parent ?? 0)
      row.bind(step.sequences.lowerBound)
      row.bind(step.sequences.upperBound)
      row.bind(step.editCount)
      row.bind(step.insertedUnits)
      row.bind(step.deletedUnits)
      row.bind(!present.contains(number))
      row.bind(step.origin)
      row.bind(step.author)
      row.bind(step.firstTime)
      row.bind(step.lastTime)
      try row.run()
    }
  }

  /// Adds a row for each large deletion.
  func write(_ traces: some Sequence<DeletionTrace>) throws {
    var row = try RowWriter(db, "INSERT INTO deletions VALUES(?,?,?,?,?,?,?,?,?,?)")
    for trace in traces {
      row.bind(document)
      row.bind(trace.sequence)
      row.bind(trace.time)
      row.bind(trace.author)
      row.bind(trace.origin)
      row.bind(trace.unitsDeleted)
      row.bind(trace.paragraphsDeleted)
      row.bind(trace.unitsBefore)
      row.bind(trace.paragraphsBefore)
      row.bind(trace.duration)
      try row.run()
    }
  }
}

extension AttributeChange {
  /// The change in JSON, as in an entry. Nil if the edit changes no attributes.
  fileprivate var sql: String? {
    if case .inherit = self { return nil }
    return json.map { String(decoding: $0.serialized(), as: UTF8.self) }
  }
}

extension UndoTree {
  /// The current step, and the step before it.
  var currentWithParent: (number: Int, parent: Int) {
    (current, self[current]?.parent ?? 0)
  }

  /// The steps that are only on the path from the root to `former`, and those only on the path to the
  /// current step. O(their number).
  fileprivate func path(from former: Int) -> (left: Set<Int>, entered: Set<Int>) {
    // A step's parent was created before it.
    var (old, new) = (former, current)
    var (left, entered): (Set<Int>, Set<Int>) = ([], [])
    while old != new {
      if old > new {
        left.insert(old)
        old = self[old]?.parent ?? 0
      } else {
        entered.insert(new)
        new = self[new]?.parent ?? 0
      }
    }
    return (left, entered)
  }

  /// Those of `numbers` that are on the path from the root to the current step. O(steps from the
  /// current one to the first of `numbers`).
  fileprivate func presentSteps(among numbers: Set<Int>) -> Set<Int> {
    guard let first = numbers.min() else { return [] }
    var (present, at): (Set<Int>, Int) = ([], current)
    while at >= first, at > 0 {
      if numbers.contains(at) { present.insert(at) }
      at = self[at]?.parent ?? 0
    }
    return present
  }
}
