import EditModel
import GRDB
import Projections
import SQLiteProjection
import TestSupport
import Testing
import TextState

/// The rows of random histories, against folds of the whole history.
struct ProjectorOracleTests {
  static let seeds = (1...24).map { UInt64($0) }

  /// The living paragraphs in order, then the removed ones, as the table has them.
  private static func expected(_ entries: some Sequence<HistoryEntry>) throws -> [String] {
    var runner = ProjectionRunner([ParagraphModels()])
    try runner.apply(contentsOf: entries)
    let (state, models) = (runner.state, try #require(runner[ParagraphModels.self]))
    func row(
      _ model: ParagraphModel, _ index: Int?, _ range: UTF16Range?, _ text: UTF16Text
    ) -> String {
      let values: [String?] = [
        "\(model.id)", index.map { "\($0)" }, range.map { "\($0.location)" }, "\(text.count)",
        String(text).replacing("\0", with: "\u{FFFD}"), "\(model.born.sequence)",
        model.splitFrom.map { "\($0)" },
        "\(model.lastEdited.sequence)", "\(model.editCount)",
        model.death.map { "\($0.stamp.sequence)" }, model.death.map { "\($0.index)" },
        model.mergedInto.map { "\($0)" }, model.movedTo.map { "\($0)" },
      ]
      return values.map { $0 ?? "NULL" }.joined(separator: "|")
    }
    let living = try state.paragraphs.enumerated().map { index, paragraph in
      row(
        try #require(models[paragraph.id]), index, paragraph.range,
        state.text(in: paragraph.range))
    }
    let dead = models.dead.map { row($0, nil, nil, $0.death?.lastText ?? UTF16Text()) }
    return living + dead.sorted()
  }

  private static func paragraphs(_ file: ProjectionFile) throws -> [String] {
    let columns = """
      id, position, location, length, text, born_sequence, split_from, edited_sequence,
      edit_count, died_sequence, died_position, merged_into, moved_to
      """
    let living = try file.rows(
      "SELECT \(columns) FROM paragraphs WHERE position IS NOT NULL ORDER BY position")
    let dead = try file.rows("SELECT \(columns) FROM paragraphs WHERE position IS NULL")
    return living + dead.sorted()
  }

  /// Transactions of random sizes, and projectors that begin again at random, as after kills, from
  /// stored folds or from the start, leave the same rows as one transaction, and the paragraphs of each version that is written are those of the
  /// state.
  @Test(arguments: seeds)
  func rowsDoNotDependOnTransactions(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 400)
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try projector(file)
    var taken = 0
    while taken < entries.count {
      if generator.chance(3) {
        projector = try SQLiteProjectionTests.projector(file)
        try projector.applyNew(of: entries[..<taken])
      }
      let count = generator.chance(4) ? 1 : Int(generator.random.next() % 60)
      let end = min(entries.count, taken + count)
      for entry in entries[taken..<end] { try projector.apply(entry) }
      // As a kill: the entries that were taken are not written.
      if generator.chance(5) {
        projector = try SQLiteProjectionTests.projector(file)
        try projector.applyNew(of: entries[..<end])
      }
      try projector.write()
      if generator.chance(4) { try projector.storeFolds(spacing: 1) }
      if generator.chance(12) {
        // Folds that are of no use.
        try file.database.write { db in
          try db.execute(sql: "UPDATE folds SET \(generator.chance(2) ? "rows" : "state") = x'00'")
        }
      }
      taken = end
      let (rows, expected) = (
        try Self.paragraphs(file), try Self.expected(entries[..<taken])
      )
      #expect(rows.count == expected.count, "seed \(seed), \(taken) entries")
      let wrong = zip(rows, expected).first { $0 != $1 }
      #expect(wrong == nil, "seed \(seed), \(taken) entries")
    }
    try file.database.write { db in try db.execute(sql: "DELETE FROM folds") }
    try projector.storeFolds(spacing: 1)
    #expect(try SQLiteProjectionTests.projector(file).sequence == projector.sequence)
    let whole = try ScratchFile()
    let wholeFile = try whole.open()
    try fill(wholeFile, entries)
    let (rows, expected) = (try file.allRows(), try wholeFile.allRows())
    for table in expected.keys.sorted() {
      #expect(rows[table] == expected[table], "seed \(seed), \(table)")
    }
    #expect(
      expected["edits"]?.count == entries.count { if case .edit = $0 { true } else { false } })
    try Self.checkHistory(file, entries, seed)
    try Self.checkSearch(file)
    try wholeFile.close()
    try file.close()
  }

  /// Headings, sections, kinds and attributes are those of the state, whatever the transactions.
  @Test(arguments: seeds) func sectionsAreThoseOfTheText(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try projector(file)
    var (state, entries): (TextState, [HistoryEntry]) = (TextState(), [])
    let pieces: [UTF16Text] = [
      "# a\n", "\n## b c\n", "#", "text\n", "```\n", "\n", "", "---\n", "<!--\n", "-->",
    ]
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let bounds = [0, 1].map { _ in Int.random(in: 0...state.length, using: &random) }.sorted()
        var action = EditAction(
          replacing: UTF16Range(bounds[0]..<min(bounds[1], bounds[0] + 9)),
          with: pieces[Int.random(in: pieces.indices, using: &random)])
        if !action.range.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
          let kind = ["heading", "quote", "mine"][Int.random(in: 0..<3, using: &random)]
          let run = AttributeRun(length: action.range.length, attributes: [kind: .integer(2)])
          action = try EditAction(
            range: action.range, replacement: nil,
            attributes: .merge([run]))
        }
        guard (try? state.apply(action)) != nil else { continue }
        let edit = Edit(
          sequence: state.sequence, action: action, time: Timestamp(nanoseconds: 0))
        entries.append(.edit(edit))
        try projector.apply(.edit(edit))
      }
      if Int.random(in: 0..<8, using: &random) == 0 {
        projector = try SQLiteProjectionTests.projector(file)
        try projector.applyNew(of: entries)
      }
      try projector.write()
      try Self.checkSections(file, state, seed)
    }
    try file.close()
  }

  private static func checkSections(
    _ file: ProjectionFile, _ state: TextState, _ seed: UInt64
  ) throws {
    let outline = Outline(of: state).sections
    let rows = try file.rows(
      """
      SELECT position, id, level, heading, first_paragraph, paragraphs, length, words, characters,
          first_sequence FROM sections ORDER BY position
      """)
    #expect(
      rows
        == outline.enumerated().map { index, section in
          let values: [String] = [
            "\(index)", section.id.map { "\($0)" } ?? "NULL", "\(section.level)",
            section.heading.map { String($0) } ?? "NULL", "\(section.paragraphs.lowerBound)",
            "\(section.paragraphs.count)", "\(section.range.length)", "\(section.wordCount)",
            "\(section.characterCount)", "\(section.firstEdit)",
          ]
          return values.joined(separator: "|")
        }, "seed \(seed)")
    // Row 74 of the features: the header of a paragraph is that of its section.
    let grouped = try file.rows(
      "SELECT position, section_id, heading FROM section_paragraphs ORDER BY position")
    #expect(
      grouped
        == outline.flatMap { section in
          section.paragraphs.map { index in
            let id = section.id.map { "\($0)" } ?? "NULL"
            return "\(index)|\(id)|\(section.heading.map { String($0) } ?? "NULL")"
          }
        }, "seed \(seed)")
    let kinds = try file.rows(
      "SELECT kind, level, attributes FROM paragraphs WHERE position >= 0 ORDER BY position")
    let expected = state.paragraphs.map { paragraph in
      let runs = state.attributeRuns(in: paragraph.range)
      let first = runs.first?.attributes ?? [:]
      let kind = ["heading", "quote"].first { first[$0] != nil }
      let isPlain = runs.allSatisfy(\.attributes.isEmpty)
      let json = runs.map { run -> String in
        // All values are 2.
        let members: [String] = run.attributes.map { #""\#($0.name)":2"# }
        return #"{"length":\#(run.length),"attributes":{\#(members.joined(separator: ","))}}"#
      }.joined(separator: ",")
      return "\(kind ?? "paragraph")|\(kind == nil ? 0 : 2)|\(isPlain ? "NULL" : "[\(json)]")"
    }
    #expect(kinds == expected, "seed \(seed)")
    #expect(
      try file.rows(
        "SELECT 1 FROM paragraphs WHERE position IS NULL AND (kind NOT NULL OR attributes NOT NULL)"
      ).isEmpty)
  }

  /// Each version of a paragraph has the text that the paragraph had after its last edit.
  private static func checkHistory(
    _ file: ProjectionFile, _ entries: [HistoryEntry], _ seed: UInt64
  ) throws {
    var runner = ProjectionRunner([])
    var states = [runner.state]
    for entry in entries {
      try runner.apply(entry)
      if case .edit = entry { states.append(runner.state) }
    }
    let versions = try file.database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT paragraph, last_sequence, text, changes FROM paragraph_history")
    }
    #expect(!versions.isEmpty)
    for version in versions {
      let (name, sequence): (String, Int) = (version[0], version[1])
      let id = try #require(ParagraphID(name))
      let range = states[sequence].paragraph(id)?.descriptor.range
      let expected = range.map { String(states[sequence].text(in: $0)) }
      let text: String? = version[2]
      #expect(
        text.map { Array($0.utf8) }
          == expected.map { Array($0.replacing("\0", with: "\u{FFFD}").utf8) },
        "seed \(seed), paragraph \(name) at \(sequence): \(version)")
    }
  }

  /// The index for full-text search agrees with the table.
  private static func checkSearch(_ file: ProjectionFile) throws {
    try file.database.write { db in
      try db.execute(
        sql: "INSERT INTO paragraph_search(paragraph_search, rank) VALUES('integrity-check', 1)")
    }
  }

  /// The undo steps are those of the fold.
  @Test(arguments: seeds.prefix(8))
  func undoSteps(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 300)
    let scratch = try ScratchFile()
    let file = try scratch.open()
    var projector = try projector(file)
    for entry in entries {
      try projector.apply(entry)
      if generator.chance(7) { try projector.write() }
    }
    try projector.write()
    var runner = ProjectionRunner([UndoHistory()])
    try runner.apply(contentsOf: entries)
    let undo = try #require(runner[UndoHistory.self]).tree
    var (path, at): (Set<Int>, Int) = ([], undo.current)
    while at > 0 {
      path.insert(at)
      at = undo[at]?.parent ?? 0
    }
    let expected = undo.steps.map { step in
      """
      \(step.number)|\(step.parent ?? 0)|\(step.sequences.lowerBound)|\(step.sequences.upperBound)|\
      \(step.editCount)|\(path.contains(step.number) ? 0 : 1)
      """
    }
    let rows = try file.rows(
      """
      SELECT step, parent, first_sequence, last_sequence, edit_count, is_undone FROM undo_steps
        ORDER BY step
      """)
    #expect(rows == expected, "seed \(seed)")
    #expect(try file.rows("SELECT current_step FROM documents") == ["\(undo.current)"])
    try file.close()
  }

  /// A correction looks like a step of its own until the typing goes on. If it is written then, the rows
  /// are joined later.
  @Test(arguments: seeds.prefix(8))
  func correctedSlipsAreWrittenBetweenTheirEdits(seed: UInt64) throws {
    let history = TypingHistory(seed: seed, editCount: 150)
    let (scratch, whole) = (try ScratchFile(), try ScratchFile())
    let (file, wholeFile) = (try scratch.open(), try whole.open())
    var projector = try projector(file)
    for (index, entry) in history.entries.enumerated() {
      try projector.apply(entry)
      // Now and then the folds are read from the file.
      if index % 3 == 0 { try projector.write() }
      if index % 30 == 0 {
        try projector.storeFolds()
        projector = try SQLiteProjectionTests.projector(file)
        try projector.applyNew(of: Array(history.entries[...index]))
      }
    }
    try projector.write()
    try fill(wholeFile, history.entries)
    #expect(try file.allRows() == wholeFile.allRows(), "seed \(seed)")
    #expect(
      try file.rows("SELECT first_sequence FROM undo_steps ORDER BY step")
        == history.stepStarts.map { "\($0)" }, "seed \(seed)")
    let firsts = try file.rows("SELECT DISTINCT first_sequence FROM paragraph_versions")
    #expect(firsts.count >= history.stepStarts.count)
    try Self.checkHistory(file, history.entries, seed)
    try file.close()
    try wholeFile.close()
  }

  /// An undo of two edits looks like a step of its own after the first of them. If it is written then,
  /// the second takes that row back.
  @Test(arguments: [false, true])
  func undoIsWrittenBetweenItsEdits(branches: Bool) throws {
    func edit(
      _ sequence: UInt64, _ range: Range<Int>, _ text: String, _ origin: Origin, _ first: UInt64
    ) -> HistoryEntry {
      let action = EditAction(replacing: UTF16Range(range), with: UTF16Text(text))
      return .edit(Edit(sequence: sequence, action: action, origin: origin, transaction: first))
    }
    var entries = [
      edit(1, 0..<0, "one", .paste, 1), edit(2, 3..<3, "two", .paste, 2),
      edit(3, 5..<6, "", .undo, 3), edit(4, 3..<5, "", .undo, 3),
    ]
    if branches { entries.append(edit(5, 3..<3, "three", .paste, 5)) }
    let (scratch, whole) = (try ScratchFile(), try ScratchFile())
    let (file, expected) = (try scratch.open(), try whole.open())
    var projector = try projector(file)
    for entry in entries.prefix(3) { try projector.apply(entry) }
    try projector.write()
    for entry in entries.dropFirst(3) { try projector.apply(entry) }
    try projector.write()
    try fill(expected, entries)
    #expect(try file.allRows()["undo_steps"] == expected.allRows()["undo_steps"])
    try file.close()
    try expected.close()
  }
}
