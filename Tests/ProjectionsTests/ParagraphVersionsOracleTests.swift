import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// The versions of paragraphs against the states of all versions.
@Suite struct ParagraphVersionsOracleTests {
  /// Without pauses of strokes, each edit that changes the text or the look is a version.
  @Test(arguments: UInt64(0)..<16)
  func versionsAreThoseOfTheStates(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var state = TextState()
    var (states, edits) = ([state], [Edit]())
    for sequence in 1...SequenceNumber(70) {
      let edit = Edit(
        sequence: sequence, action: try random.action(in: state.length), origin: .program,
        time: seconds(Double(sequence) * random.pick([0.1, 60, 400])))
      try state.apply(edit.action)
      edits.append(edit)
      states.append(state)
    }
    var runner = ProjectionRunner([ParagraphModels()])
    for edit in edits { try runner.apply(edit) }
    let models = try #require(runner[ParagraphModels.self])
    for id in (models.living(in: state) + models.dead).map(\.id) {
      let line = ParagraphLine(of: [id], in: models)
      // The text of the paragraphs that count, in each state.
      let texts = states.map { state -> UTF16Text in
        var text = UTF16Text()
        for paragraph in state.paragraphs
        where line.contains(paragraph.id, at: state.sequence) {
          text.append(state.text(in: paragraph.range))
        }
        return text
      }
      let full = try versions(of: line, models, edits)
      var known = UTF16Text()
      for version in full.versions {
        let (first, last) = (version.sequences.lowerBound, version.sequences.upperBound)
        #expect(version.oldText == known, "seed \(seed), \(id) at \(first)")
        #expect(version.text == texts[Int(last)], "seed \(seed), \(id) at \(last)")
        known = version.text
      }
      #expect(known == texts.last)
      // No change of the text is left out.
      let lasts = Set(full.versions.map(\.sequences.upperBound))
      for index in texts.indices.dropFirst() where texts[index] != texts[index - 1] {
        #expect(lasts.contains(UInt64(index)), "seed \(seed), \(id) at \(index)")
      }
      // The newest versions are the end of all of them.
      let few = try versions(of: line, models, edits, count: 3)
      #expect(few.versions == Array(full.versions.suffix(3)))
      #expect(few.hasOlder == (full.versions.count > 3))
    }
  }

  private func versions(
    of line: ParagraphLine, _ models: ParagraphModels, _ edits: [Edit], count: Int = .max
  ) throws -> ParagraphVersions {
    let limits = ParagraphVersions.Limits(count: count)
    var runner = ProjectionRunner([ParagraphVersions(of: line, models, limits: limits)])
    for edit in edits { try runner.apply(edit) }
    var versions = try #require(runner[ParagraphVersions.self])
    versions.finish(at: runner.state)
    return versions
  }

  /// A version is what one undo takes back, with corrected slips.
  @Test(arguments: UInt64(0)..<16)
  func versionsOfTypingAreThoseOfTheSteps(seed: UInt64) throws {
    let history = TypingHistory(seed: seed, editCount: 100)
    let edits = history.edits
    var state = TextState()
    for edit in edits { try state.apply(edit.action) }
    var runner = ProjectionRunner([ParagraphModels()])
    try runner.apply(contentsOf: history.entries)
    let models = try #require(runner[ParagraphModels.self])
    let ids = (models.living(in: state) + models.dead).map(\.id)
    let line = ParagraphLine(of: ids, in: models)
    var fold = ProjectionRunner([ParagraphVersions(of: line, models)])
    try fold.apply(contentsOf: history.entries)
    var versions = try #require(fold[ParagraphVersions.self])
    versions.finish(at: fold.state)
    #expect(versions.versions.map(\.sequences.lowerBound) == history.stepStarts, "seed \(seed)")
    #expect(versions.versions.reduce(0) { $0 + $1.editCount } == edits.count, "seed \(seed)")
    var known = UTF16Text()
    for version in versions.versions {
      #expect(version.oldText == known, "seed \(seed), \(version.sequences)")
      known = version.text
    }
    #expect(known == state.text, "seed \(seed)")
  }

  /// Moves against a list of all removed paragraphs, searched from the newest.
  @Test(arguments: UInt64(0)..<24)
  func movesAreThoseOfASlowSearch(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var runner = ProjectionRunner([ParagraphModels()])
    var removed: [(id: ParagraphID, content: [UInt16], edit: Edit, isTaken: Bool)] = []
    var expected: [ParagraphID: [ParagraphID]] = [:]
    var clock = 0.0
    for sequence in 1...SequenceNumber(120) {
      clock += random.pick([1, 1, 50, 200])
      let before = runner.state
      let range = random.range(in: before.length)
      let words: [UTF16Text] = ["a\n", "a\nb\n", "\nb", "b", "\n", "", "", "a\r\n", " \n"]
      let edit = Edit(
        sequence: sequence, action: EditAction(replacing: range, with: random.pick(words)),
        time: seconds(clock))
      try runner.apply(edit)
      let after = runner.state
      let edited = edit.action.editedRange.bounds
      for paragraph in before.paragraphs where after.paragraph(paragraph.id) == nil {
        let content = Self.content(paragraph.range, before)
        guard Self.holds(range.bounds, content), !Self.isBlank(content, before) else { continue }
        removed.append((paragraph.id, Array(before.text.units[content]), edit, false))
      }
      for paragraph in after.paragraphs {
        let content = Self.content(paragraph.range, after)
        guard Self.holds(edited, content), !content.isEmpty else { continue }
        if let old = before.paragraph(paragraph.id)?.descriptor.range,
          !Self.content(old, before).isEmpty
        {
          continue
        }
        let units = Array(after.text.units[content])
        let fitting = removed.indices.filter {
          !removed[$0].isTaken && removed[$0].content == units
            && edit.time.nanoseconds - removed[$0].edit.time.nanoseconds <= 300_000_000_000
        }
        guard let newest = fitting.map({ removed[$0].edit.sequence }).max(),
          let found = fitting.first(where: { removed[$0].edit.sequence == newest })
        else { continue }
        removed[found].isTaken = true
        expected[paragraph.id, default: []].append(removed[found].id)
      }
    }
    let models = try #require(runner[ParagraphModels.self])
    for model in models.living(in: runner.state) + models.dead {
      #expect(
        model.moves.map(\.paragraph) == expected[model.id] ?? [], "seed \(seed), \(model.id)")
    }
    #expect(!expected.isEmpty)
  }

  private static func content(_ range: UTF16Range, _ state: TextState) -> Range<Int> {
    let units = state.text.units[range.bounds]
    let count = units.reversed().prefix { $0 == 0x0A || $0 == 0x0D || $0 == 0x2029 }.count
    return range.location..<range.upperBound - count
  }

  private static func holds(_ range: Range<Int>, _ content: Range<Int>) -> Bool {
    content.allSatisfy { range.contains($0) }
  }

  private static func isBlank(_ range: Range<Int>, _ state: TextState) -> Bool {
    state.text.units[range].allSatisfy { $0 == 0x20 }
  }
}
