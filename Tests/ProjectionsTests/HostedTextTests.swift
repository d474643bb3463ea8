import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// A host that believes only its steps: it checks each against its own list.
private struct Host {
  var paragraphs: [HostedParagraph]

  /// The first thing in the update that is not as promised.
  mutating func take(_ update: HostedUpdate) -> String? {
    var (lastRemoved, lastArrived): (Int?, Int?) = (nil, nil)
    for step in update {
      let (index, paragraph) = (step.index, step.paragraph)
      switch step {
      case .remove(_, _, let oldRange, _):
        guard lastArrived == nil, index < lastRemoved ?? .max else { return "order: \(step)" }
        lastRemoved = index
        guard paragraphs[index] == paragraph else { return "content: \(step)" }
        let location = paragraphs[..<index].reduce(0) { $0 + $1.text.count }
        guard oldRange == UTF16Range(location..<location + paragraph.text.count) else {
          return "range: \(step)"
        }
        paragraphs.remove(at: index)
      case .insert:
        guard index > lastArrived ?? -1 else { return "order: \(step)" }
        lastArrived = index
        paragraphs.insert(paragraph, at: index)
      case .edit, .style:
        guard index > lastArrived ?? -1 else { return "order: \(step)" }
        lastArrived = index
        guard paragraphs[index].id == paragraph.id else { return "identity: \(step)" }
        guard paragraphs[index] != paragraph else { return "no change: \(step)" }
        let isStyle = paragraphs[index].text == paragraph.text
        guard case (.style, true) = (step, isStyle) else {
          if case .edit = step, !isStyle {
            paragraphs[index] = paragraph
            continue
          }
          return "kind: \(step)"
        }
        paragraphs[index] = paragraph
      }
    }
    return nil
  }
}

/// Headings of Markdown.
private let headings = ParagraphStyling(names: ["level"]) { paragraph, state in
  let level = state.text(in: paragraph.range).units.prefix { $0 == 0x23 }.count
  return level > 0 ? ["level": .integer(Int64(level))] : [:]
}

@Suite struct HostedTextTests {
  /// The steps as lines: kind, index, text.
  private func lines(_ update: HostedUpdate?) -> [String] {
    (update.map(Array.init) ?? []).map { step in
      let kind =
        switch step {
        case .remove: "remove"
        case .insert: "insert"
        case .edit: "edit"
        case .style: "style"
        }
      return "\(kind) \(step.index) \(step.paragraph.text)".replacing("\n", with: "|")
    }
  }

  private static let edits: [(Int, Int, UTF16Text, [String])] = [
    (8, 0, "x", ["edit 1 bexta|"]),
    (6, 0, "\n", ["insert 1 |"]),
    (10, 0, "\n", ["insert 2 |"]),
    (0, 6, "", ["remove 0 alpha|"]),
    (6, 5, "", ["remove 1 beta|"]),
    (5, 1, "", ["remove 1 beta|", "edit 0 alphabeta|"]),
    (0, 16, "", ["remove 2 gamma", "remove 1 beta|", "edit 0 "]),
    (2, 11, "X", ["remove 2 gamma", "remove 1 beta|", "edit 0 alXmma"]),
    (4, 8, "X\nY", ["remove 1 beta|", "edit 0 alphX|", "edit 1 Yamma"]),
    (2, 0, "1\n2", ["edit 0 al1|", "insert 1 2pha|"]),
    (0, 5, "alpha", []),
  ]

  /// Removed before inserted and edited, shifted paragraphs silent, content with each step.
  @Test(arguments: edits.indices) func theStepsOfAnEdit(index: Int) throws {
    let (location, length, text, expected) = Self.edits[index]
    var hosted = try HostedText(loading: ParagraphRepair(["alpha", "beta", "gamma"]))
    let update = try hosted.apply(replace(location, length, text))
    #expect(lines(update) == expected)
  }

  @Test func groupsNestAndDeliverOnce() throws {
    var hosted = try HostedText(loading: ParagraphRepair(["one", "two"]))
    var rows = hosted.paragraphs
    hosted.beginGroup()
    #expect(try hosted.apply(replace(7, 0, "\nthree")) == nil)
    hosted.beginGroup()
    #expect(try hosted.apply(replace(0, 0, "new\n")) == nil)
    #expect(try hosted.endGroup() == nil && hosted.groupDepth == 1)
    // What was created in the group goes with it.
    #expect(try hosted.apply(replace(0, 4, "")) == nil)
    #expect(try hosted.apply(replace(0, 1, "O")) == nil)
    let update = try #require(try hosted.endGroup())
    #expect(lines(update) == ["edit 0 One|", "edit 1 two|", "insert 2 three"])
    #expect(update.sequences == 2...5 && update.change.editCount == 4)
    #expect(update.apply(to: &rows) && rows == hosted.paragraphs)
  }

  @Test func aGroupWithoutEditsSaysNothing() throws {
    var hosted = try HostedText()
    hosted.beginGroup()
    #expect(try hosted.endGroup() == nil)
    #expect(throws: GroupError.noOpenGroup) { try hosted.endGroup() }
    #expect(try hosted.group { _ in } == nil)
  }

  private struct Refusal: Error {}

  @Test func aGroupThatFailsLeavesTheTextAsItWas() throws {
    var hosted = try HostedText(loading: ParagraphRepair(["one"]))
    let before = hosted.state
    #expect(throws: Refusal.self) {
      try hosted.group { text in
        try text.apply(replace(0, 0, "x\n"))
        throw Refusal()
      }
    }
    #expect(throws: GroupError.noOpenGroup) {
      try hosted.group { text in
        try text.apply(replace(0, 0, "x\n"))
        try text.endGroup()
      }
    }
    #expect(hosted.state == before && hosted.groupDepth == 0)
    // A refused edit leaves its group open, with the edits so far.
    hosted.beginGroup()
    try hosted.apply(replace(3, 0, "!"))
    #expect(throws: ProjectionError.self) { try hosted.apply(replace(9, 1, "")) }
    #expect(lines(try hosted.endGroup()) == ["edit 0 one!"])
  }

  /// The rule is asked for each touched paragraph, the middle ones included.
  @Test func middleParagraphsAreStyled() throws {
    var hosted = try HostedText(
      loading: ParagraphRepair(["a", "b", "c", "d"]), stages: [headings])
    #expect(hosted.paragraphs.allSatisfy { $0.attributes.allSatisfy { $0.attributes == [:] } })
    let update = try hosted.apply(replace(2, 5, "# x\n# y\n# z\n# u"))
    let levels = update.map(Array.init)?.map { step in
      step.paragraph.attributes.map(\.attributes["level"])
    }
    #expect(lines(update) == ["edit 1 # x|", "edit 2 # y|", "insert 3 # z|", "edit 4 # u"])
    #expect(levels?.count == 4 && levels?.allSatisfy { $0 == [.integer(1)] } == true)
  }

  /// A stage that restyles a paragraph that the edit did not touch reports it.
  @Test func whatStagesChangeElsewhereIsReported() throws {
    struct FirstIsTitle: EditStage {
      func fixAttributes(
        of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
      ) -> StageResult {
        let range = state.paragraph(at: 0).range
        guard range.length > 0 else { return StageResult() }
        let run = AttributeRun(
          length: range.length, attributes: ["count": .integer(Int64(state.paragraphCount))])
        let action = try? EditAction(range: range, replacement: nil, attributes: .set([run]))
        return StageResult(actions: action.map { [$0] } ?? [])
      }
    }
    var hosted = try HostedText(
      loading: ParagraphRepair(["title", "two", "three"]), stages: [FirstIsTitle()])
    var rows = hosted.paragraphs
    let update = try #require(try hosted.apply(replace(13, 0, "!\nx")))
    #expect(lines(update).first == "style 0 title|" && update.count == 3)
    #expect(update.apply(to: &rows) && rows == hosted.paragraphs)
  }

  /// A host's list after each group is that of the document, whatever the edits.
  @Test(arguments: seeds(24)) func theHostHasTheDocument(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var generator = EditGenerator(seed: seed, lengthGoal: seed % 2 == 0 ? 60 : 300)
    let model = (0..<Int.random(in: 0...5, using: &random)).map { _ in random.text() }
    let repair = try ParagraphRepair(model)
    var hosted = try HostedText(
      loading: repair, stages: seed % 3 == 0 ? [headings] : [])
    var host = Host(paragraphs: hosted.paragraphs)
    #expect(host.paragraphs.map(\.text) == repair.paragraphs)
    var rows = host.paragraphs
    for _ in 0..<40 {
      let ids = host.paragraphs.map(\.id)
      let update = try edit(&hosted, depth: 0, &generator)
      if let update {
        #expect(host.take(update) == nil, "seed \(seed)")
        #expect(
          update.change.paragraphEvents.replayed(on: ids) == hosted.state.paragraphs.map(\.id))
        #expect(update.apply(to: &rows) && rows == host.paragraphs, "seed \(seed)")
      }
      #expect(host.paragraphs == hosted.paragraphs, "seed \(seed)")
    }
  }

  /// Edits at random: alone, or in groups in groups.
  private func edit(
    _ hosted: inout HostedText, depth: Int, _ generator: inout EditGenerator
  ) throws -> HostedUpdate? {
    guard depth < 4, generator.below(3) > 0 else {
      let action = generator.action(length: hosted.state.length)
      guard action.range.upperBound <= hosted.state.length else { return nil }
      return try hosted.apply(action)
    }
    hosted.beginGroup()
    for _ in 0..<generator.below(4) {
      #expect(try edit(&hosted, depth: depth + 1, &generator) == nil)
    }
    let update = try hosted.endGroup()
    #expect((update == nil) || depth == 0)
    return update
  }

  /// Each transaction of a log is one update.
  @Test(arguments: seeds(20)) func transactionsOfALogAreGroups(seed: UInt64) throws {
    let edits = MixedHistory(seed: seed, editCount: 120).edits
    var hosted = try HostedText()
    var host = Host(paragraphs: hosted.paragraphs)
    let updates = try hosted.apply(transactionsOf: edits)
    #expect(updates.count == Set(edits.map(\.transaction)).count)
    #expect(updates.map(\.sequences.lowerBound) == Set(edits.map(\.transaction)).sorted())
    for update in updates { #expect(host.take(update) == nil, "seed \(seed)") }
    #expect(host.paragraphs == hosted.paragraphs)
    #expect(TextState(folding: edits) == hosted.state)
  }

  /// A host that gets an update of another version notices, and keeps its list.
  @Test func anUpdateOfAnotherVersionIsRefused() throws {
    var hosted = try HostedText(loading: ParagraphRepair(["one", "two", "three"]))
    var rows = hosted.paragraphs
    let old = rows
    try hosted.apply(replace(0, 4, ""))
    let update = try #require(try hosted.apply(replace(0, 4, "")))
    #expect(!update.apply(to: &rows) && rows == old)
    // As many paragraphs, but in another order.
    for action in [replace(0, 0, "x"), replace(0, 4, "")] {
      var text = try HostedText(loading: ParagraphRepair(["one", "two"]))
      let wrong = Array(text.paragraphs.reversed())
      var list = wrong
      let change = try #require(try text.apply(action))
      #expect(!change.apply(to: &list) && list == wrong)
    }
  }
}
