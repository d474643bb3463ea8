import EditModel
import EditProtocol
import Scrubbing
import TestSupport
import Testing

/// The edits near the position, and the texts that they have.
@Suite struct EditWindowTests {
  /// Edits that each replace this number of units by as many.
  private func edits(_ lengths: [Int]) -> [EntryPreview] {
    lengths.enumerated().map { index, length in
      let text = UTF16Text(units: Array(repeating: 0x61, count: length))
      let edit = Edit(
        sequence: SequenceNumber(index + 1),
        action: EditAction(replacing: UTF16Range(0..<length), with: text))
      return .edit(EditPreview(edit, textMax: EditWindow.textMax, removed: text))
    }
  }

  /// What a window asks for, if pages hold at most `pageCount` edits.
  private func load(
    _ entries: [EntryPreview], through: Int, pageCount: Int
  ) async throws -> [EditPreview] {
    try await EditWindow.edits(after: 0, through: SequenceNumber(through)) { part in
      let first = Int(part.after)
      return Array(entries[first..<min(entries.count, first + min(part.limit, pageCount))])
    }
  }

  @Test(arguments: [1, 7, 128, 1_024])
  func `edits are asked for until all are there`(pageCount: Int) async throws {
    let entries = edits(Array(repeating: 3, count: 2_500))
    let loaded = try await load(entries, through: 2_300, pageCount: pageCount)
    #expect(loaded.map { EntryPreview.edit($0) } == Array(entries.prefix(2_300)))
  }

  @Test func `a history that ends early gives what it has`() async throws {
    let entries = edits(Array(repeating: 3, count: 1_500))
    let loaded = try await load(entries, through: 2_300, pageCount: 100)
    #expect(loaded.map { EntryPreview.edit($0) } == entries)
  }

  @Test func `texts of a block have a bound together, and a few long ones stay whole`() async throws
  {
    var lengths = Array(repeating: 2, count: 2_048)
    for index in 0..<50 { lengths[index * 20] = EditWindow.textMax }
    for index in 1_024..<2_048 { lengths[index] = 1_000 }
    let loaded = try await load(edits(lengths), through: 2_048, pageCount: 100)
    #expect(loaded.prefix(1_024).allSatisfy { $0.hasWholeText && $0.hasWholeRemoved })
    let block = loaded.dropFirst(1_024)
    #expect(block.allSatisfy { !$0.hasWholeText && !$0.hasWholeRemoved })
    let units = block.reduce(0) { $0 + ($1.text?.count ?? 0) + ($1.removed?.count ?? 0) }
    #expect(units == 512 << 10)
  }

  @Test func `steps over long texts ask for no version`() {
    let chapter = String(repeating: "a word ", count: 500)
    let texts = (0..<40).map { $0 % 2 == 0 ? "a" : "a" + chapter }
    var harness = ScrubHarness(texts)
    for _ in 0..<40 { harness.type("h") }
    for _ in 0..<40 { harness.type("l") }
    for _ in 0..<40 { harness.type(",") }
    #expect(harness.state.goal == 0)
    #expect(harness.state.cursor?.sequence == 0)
    #expect(harness.requests.filter { if case .text = $0 { true } else { false } }.count == 1)
  }
}
