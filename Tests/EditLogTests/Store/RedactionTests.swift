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

  /// The segment again with the secret's units replaced by a filler, the salt of its link by
  /// zeros, and the hash over what was there in the footer.
  private func redact(_ system: SimulatedFileSystem) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    let directory = try system.directory(at: folder)
    let old = try Segment(
      directory.open(file, .read), store: store.id, document: 1, first: 1)
    var entries: [HistoryEntry] = []
    for block in old.index.blocks { entries += try old.entries(of: block) }
    let link = DocumentChain.link(of: secretSequence)
    let commitment = try commitment(link, old, entries)
    let position = Int(secretSequence) - 1
    guard case .edit(var edit) = entries[position] else { return }
    let filler = Filler.text(for: try #require(edit.action.replacement))
    edit.action = EditAction(replacing: edit.action.range, with: filler)
    entries[position] = .edit(edit)
    let new = try directory.open("new.tmp", .create)
    var writer = try SegmentWriter(new, store: store.id, document: 1, first: 1, level: 3)
    try writer.append(entries, editCountMax: 1 << 14)
    let blocks = writer.index.blocks
    try writer.finish { index in
      index = old.index
      index.blocks = blocks
      index.chain.redact(link)
      index.redactions[link] = commitment
    }
    try writer.check()
    try directory.rename("new.tmp", to: file, in: directory)
  }

  private func commitment(
    _ link: UInt64, _ segment: Segment, _ entries: [HistoryEntry]
  ) throws -> ChainHead {
    let first = Int((link - 1) * DocumentChain.linkSize)
    return DocumentChain.commitment(
      salt: try #require(segment.index.chain.salt(link)),
      to: entries[first..<first + Int(DocumentChain.linkSize)])
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
