import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Errors of a history name the file that its entries are in, and the edits.
@Suite struct DamagedPlaceTests {
  private let store =
    StoreID(bytes: [UInt8](repeating: 7, count: 16)) ?? { preconditionFailure("16 bytes") }()

  /// A history of what is in the journals 3 and 4 alone, two edits in each.
  private func history(garbled: Bool = false) -> History {
    var list = EntryList()
    for sequence in SequenceNumber(1)...4 {
      let time = Timestamp(nanoseconds: 1)
      let entry = HistoryEntry.edit(
        Edit(
          sequence: sequence, action: EditAction(replacing: UTF16Range(0..<0), with: "x"),
          time: time))
      var meta = ByteWriter()
      var content = ByteWriter()
      var row = ByteWriter()
      RecordCodec.encode(entry, meta: &meta, content: &content)
      if garbled { content.write(UInt8(0)) }
      meta.withUnsafeBytes { meta in
        content.withUnsafeBytes { content in
          EntryBytes(meta: meta, content: content).write(index: sequence, to: &row)
        }
      }
      row.withUnsafeBytes {
        list.append(
          $0, at: EntryPlace(isEdit: true, place: sequence, time: time), of: 3 + sequence / 3)
      }
    }
    return History(
      document: name("a"), number: 1, store: store, sealed: nil, unsealed: list, salts: [:],
      damage: [], head: nil)
  }

  @Test func `an entry that does not decode names its journal and edits`() {
    let error = #expect(throws: LogError.self) { try history(garbled: true).edit(at: 3) }
    guard case .damaged(let file, _, let what)? = error else {
      Issue.record("no damage")
      return
    }
    #expect(file == "journal/00000000000000000004.journal")
    #expect(what.hasPrefix("edits 3 to 4 cannot be read"))
  }

  @Test func `a salt that is missing names its journal and edit`() {
    let error = #expect(throws: LogError.self) { try history().head }
    #expect(
      error
        == .damaged(
          file: "journal/00000000000000000003.journal", offset: 0,
          what: "the salt of link 1 of the hash chain, from edit 1 on, is missing"))
  }

  @Test func `every edit has a file`() throws {
    #expect(
      (1...5).map { history().file(of: $0) }
        == [3, 3, 4, 4, 4].map { StoreLayout.path(ofJournal: $0) })
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 2)
    let document = name("a")
    _ = try writer.append([(document, (0..<5).map { _ in source.edit(of: document) })])
    try writer.seal(document)
    _ = try writer.append([(document, (0..<5).map { _ in source.edit(of: document) })])
    for history in [
      try writer.history(of: document),
      try Store.open(at: "/store", fileSystem: system).history(of: document),
    ] {
      let history = try #require(history)
      #expect(
        history.file(of: 1).hasSuffix("documents/00000000000000000001/00000000000000000001.segment")
      )
      #expect(history.file(of: history.lastSequence).hasPrefix("journal/"))
    }
    try writer.close()
  }

  @Test func `what is lost names its journal, wherever that is`() {
    let damage = HistoryDamage(after: 3, lostEntries: 1, unreachableEntries: 0, journal: 5)
    let name = "00000000000000000005.journal"
    #expect(damage.file(quarantined: []) == "journal/" + name)
    #expect(damage.file(quarantined: ["a", name]) == "quarantine/" + name)
  }
}
