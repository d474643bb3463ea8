@testable import EditLog
import EditModel
import TestSupport
import Testing

/// What the format has for redactions: content goes, places and the chain stay.
@Suite struct RedactionTests {
  private let document = name("a")
  private let folder = "/store/documents/00000000000000000001"
  private let file = "00000000000000000001.segment"

  /// A history of three links and a bit, in which edit 1,700 brought a secret.
  private func store() throws -> (SimulatedFileSystem, [HistoryEntry], [ChainHead]) {
    let system = SimulatedFileSystem()
    var options = StoreWriter.Options.small
    (options.segmentSizeMax, options.journalSizeMax) = (1 << 30, 1 << 30)
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, random: SeededBytes(seed: 3), options: options)
    let secret = EditAction(replacing: UTF16Range(0..<0), with: "hunter2 is my pässword 🔑")
    let count = DocumentChain.linkSize * 3 + 100
    let entries = (1...count).map { sequence in
      HistoryEntry.edit(
        Edit(
          sequence: sequence,
          action: sequence == secretSequence
            ? secret : EditAction(replacing: UTF16Range(0..<0), with: "x"),
          time: Timestamp(nanoseconds: Int64(sequence))))
    }
    var heads: [ChainHead] = []
    for part in [entries[..<firstPart], entries[firstPart...]] {
      heads.append(try writer.append([(document, Array(part))])[0].head)
    }
    try writer.sealAll()
    try writer.close()
    return (system, entries, heads)
  }

  /// Edits in the first of two appends.
  private let firstPart = Int(DocumentChain.linkSize) * 2 + 900
  private let secretSequence = DocumentChain.linkSize + 700

  private func redact(_ system: SimulatedFileSystem) throws {
    try SegmentRedaction(system).redact(secretSequence)
  }

  @Test func `a redaction keeps lengths, heads and the chain`() throws {
    let (system, entries, heads) = try store()
    func holds(_ text: String) -> Bool {
      let segment = try? Store.open(at: "/store", fileSystem: system).history(of: document)
      var found = false
      try? segment?.forEachEntry { entry in
        if case .edit(let edit) = entry, edit.action.replacement == UTF16Text(text) { found = true }
      }
      return found
    }
    #expect(holds("hunter2 is my pässword 🔑"))
    try redact(system)
    #expect(!holds("hunter2 is my pässword 🔑"))
    let store = try Store.open(at: "/store", fileSystem: system)
    let report = try store.verify()
    #expect(report.problems.isEmpty)
    let history = try #require(try store.history(of: document))
    for (head, sequence) in zip(heads, [firstPart, entries.count]) {
      #expect(try history.confirms(head, at: SequenceNumber(sequence)))
    }
    var found: [HistoryEntry] = []
    try history.forEachEntry { found.append($0) }
    #expect(found.count == entries.count)
    for (index, (old, new)) in zip(entries, found).enumerated()
    where index != Int(secretSequence) - 1 {
      if old != new { Issue.record("edit \(index + 1) changed") }
    }
    let redacted = try #require(try history.edit(at: secretSequence))
    #expect(redacted.action.newLength == "hunter2 is my pässword 🔑".utf16.count)
  }

  /// What was not redacted is still held by the chain: its shape, and all other links.
  @Test func `a redaction hides no other change`() throws {
    let (system, _, heads) = try store()
    try redact(system)
    let directory = try system.directory(at: folder)
    let store = try Store.open(at: "/store", fileSystem: system)
    let old = try Segment(directory.open(file, .read), store: store.id, document: 1, first: 1)
    var entries: [HistoryEntry] = []
    for block in old.index.blocks { entries += try old.entries(of: block) }
    guard case .edit(var edit) = entries[10] else { return }
    edit.action = EditAction(replacing: UTF16Range(0..<0), with: "y")
    entries[10] = .edit(edit)
    let new = try directory.open("new.tmp", .create)
    var writer = try SegmentWriter(new, store: store.id, document: 1, first: 1, level: 3)
    try writer.append(entries, editCountMax: 1 << 14)
    let blocks = writer.index.blocks
    try writer.finish { index in
      index = old.index
      index.blocks = blocks
    }
    try directory.rename("new.tmp", to: file, in: directory)
    let forged = try Store.open(at: "/store", fileSystem: system)
    let report = try forged.verify()
    #expect(!report.problems.isEmpty)
    #expect(heads.count == 2)
  }
}
