import EditModel
import ModelStorage
import TestSupport
import Testing
import TextState

@testable import Projections

@Suite struct ParagraphStorageTests {
  private typealias Update = StorageUpdate<HostedParagraph, SectionHeader>

  private static let rules: [SectionRule?] = [nil, .headings, .attribute("bold")]

  /// A copy that gets only the storage's updates has the document, in the sections of its outline.
  @Test(arguments: seeds(45)) func aCopyHasTheDocument(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rule = Self.rules[Int(seed % 3)]
    var text = try HostedText(loading: ParagraphRepair(["# One", "text", "", "# Two", "more"]))
    var paragraphs = ParagraphStorage(of: text, sections: rule)
    var copy = StorageReplica(of: paragraphs.storage)
    try check(copy, text, rule)
    for _ in 0..<40 {
      let update = try text.group { text in
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          try text.apply(try action(in: text.state, &random))
        }
      }
      guard let update else { continue }
      let number = copy.number
      let change = try paragraphs.apply(update)
      #expect((change == nil) == update.isEmpty, "seed \(seed)")
      if let change { try copy.apply(change) }
      #expect(copy.number == number + (change == nil ? 0 : 1))
      #expect(paragraphs.sequence == text.state.sequence)
      #expect(copy.sections == paragraphs.storage.sections)
      try check(copy, text, rule)
    }
  }

  /// Pieces with headings, or any edit.
  private func action(in state: TextState, _ random: inout SplitMix64) throws -> EditAction {
    guard Bool.random(using: &random) else { return try random.action(in: state.length) }
    let range = random.range(in: state.length)
    if !range.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
      let marks: [AttributeSet] = [
        ["heading": .integer(1)], ["heading": .integer(2)], ["heading": .bool(false)],
        ["code-block": .bool(true)], ["code-block": .bool(false)],
        ["markdown": .string("front-matter")],
      ]
      return try EditAction(
        range: range, replacement: nil,
        attributes: .merge([AttributeRun(length: range.length, attributes: random.pick(marks))]))
    }
    let pieces: [UTF16Text] = [
      "# a\n", "\n## b\n", "\n# ", "#", "text\n", "```\n", "\n", "", "---\n", "\n---\n", "+++\n",
      "\n<!--\n", "-->", "-", ">",
    ]
    // What begins a text may be front matter.
    let start = Int.random(in: 0..<4, using: &random) == 0 ? UTF16Range(0..<0) : range
    return EditAction(replacing: start, with: random.pick(pieces))
  }

  private func check(
    _ copy: StorageReplica<HostedParagraph, SectionHeader>, _ text: HostedText,
    _ rule: SectionRule?
  ) throws {
    #expect(copy.sections.flatMap(\.items) == text.paragraphs)
    guard let rule else {
      #expect(copy.sections.count == 1)
      return
    }
    let outline = Outline(of: text.state, rule: rule).sections
    #expect(copy.sections.map(\.items.count) == outline.map(\.paragraphs.count))
    let headers = try copy.sections.map { try #require($0.supplementaries[.header]) }
    #expect(headers.map(\.heading) == outline.map(\.heading))
    #expect(headers.map(\.level) == outline.map(\.level))
    #expect(headers.map(\.wordCount) == outline.map(\.wordCount))
    #expect(headers.map(\.characterCount) == outline.map(\.characterCount))
    #expect(headers.map(\.firstEdit) == outline.map(\.firstEdit))
  }

  /// A key in one of many paragraphs reads that paragraph alone, and copies no list.
  @Test(arguments: [1_000, 8_000]) func aKeyReadsItsParagraph(count: Int) throws {
    let model = (0..<count).map { UTF16Text($0 % 500 == 0 ? "# Part \($0)" : "text \($0)") }
    var text = try HostedText(loading: ParagraphRepair(model))
    var paragraphs = ParagraphStorage(of: text, sections: .headings)
    var copy = StorageReplica(of: paragraphs.storage)
    #expect(paragraphs.readCount == count)
    func addresses() -> [UInt?] {
      [paragraphs.storage.sections, copy.sections].map { sections in
        sections[0].items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
      }
    }
    /// Applies one key, and returns how many paragraphs were read for it.
    func type(_ key: UTF16Text, at paragraph: Int) throws -> Int {
      let place = text.state.paragraph(at: paragraph).range.location
      let update = try #require(try text.apply(replace(place + 3, 0, key)))
      let before = paragraphs.readCount
      if let change = try paragraphs.apply(update) { try copy.apply(change) }
      return paragraphs.readCount - before
    }
    #expect(try type("x", at: 7) == 2)
    // The first change of a copy may copy; the next ones do not.
    let before = addresses()
    for paragraph in [7, 400, 0, 250] {
      // Before and after; of a heading too.
      #expect(try type("x", at: paragraph) == 2)
    }
    #expect(addresses() == before)
    // Return: the part before, and the new paragraph.
    #expect(try type("\n", at: count / 2 + 3) <= 3)
    #expect(try type("x", at: count - 1) == 2)
    #expect(copy.sections == paragraphs.storage.sections)
    try check(copy, text, .headings)
  }

  /// An edit of one paragraph is an update of that one, and of its section's header.
  @Test func anEditIsAnUpdateOfItsParagraph() throws {
    var text = try HostedText(loading: ParagraphRepair(["# One", "a", "# Two", "b", "c"]))
    var paragraphs = ParagraphStorage(of: text, sections: .headings)
    let update = try #require(try text.apply(replace(14, 0, "x")))
    let change = try #require(try paragraphs.apply(update))
    #expect(change.steps.count == 2)
    let edited = text.paragraphs[3]
    #expect(edited.text == "xb\n")
    #expect(
      change.steps.first
        == .items(section: 1, ListDifference(oldCount: 3, updates: [.init(1, edited)])))
    #expect(paragraphs.storage.supplementary(.header, in: 0)?.lastEdit == nil)
    #expect(paragraphs.storage.supplementary(.header, in: 1)?.lastEdit == 2)
    // What changes nothing is not told.
    let same = try #require(try text.apply(replace(14, 1, "x")))
    #expect(try paragraphs.apply(same) == nil)
  }

  /// A section whose heading says something else is the same one.
  @Test func aSectionIsKnownByItsHeading() throws {
    var text = try HostedText(loading: ParagraphRepair(["# One", "a", "# Two", "b"]))
    var paragraphs = ParagraphStorage(of: text, sections: .headings)
    let update = try #require(try text.apply(replace(2, 3, "Three")))
    let change = try #require(try paragraphs.apply(update))
    let isSections = change.steps.map { if case .sections = $0 { true } else { false } }
    #expect(!isSections.contains(true))
    #expect(paragraphs.storage.supplementary(.header, in: 0)?.heading == "Three")
    // Without its mark it is text of the section before, or of one without a heading.
    let mark = try #require(try text.apply(replace(0, 2, "")))
    let merged = try #require(try paragraphs.apply(mark))
    #expect(!merged.steps.isEmpty && paragraphs.storage.sections.map(\.items.count) == [2, 2])
    #expect(paragraphs.storage.supplementary(.header, in: 0)?.heading == nil)
  }

  @Test func anUpdateThatIsNotTheNextIsRefused() throws {
    var text = try HostedText(loading: ParagraphRepair(["a", "b"]))
    var paragraphs = ParagraphStorage(of: text)
    let before = paragraphs.storage.sections
    try text.apply(replace(0, 0, "x"))
    let update = try #require(try text.apply(replace(0, 0, "\n")))
    #expect(throws: ProjectionError.outOfOrder(expected: 2, found: 3)) {
      try paragraphs.apply(update)
    }
    // The right number, but another text.
    var other = try HostedText(loading: ParagraphRepair(["a", "b", "c", "d"]))
    let foreign = try #require(try other.apply(replace(4, 0, "x\ny")))
    #expect(throws: ProjectionError.self) { try paragraphs.apply(foreign) }
    #expect(paragraphs.storage.sections == before && paragraphs.sequence == 1)
  }
}
