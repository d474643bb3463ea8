import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Attachments that were acknowledged, and whose files are missing or changed: they are named until
/// the loss is accepted.
@Suite struct MissingAttachmentTests {
  private let contents = [Array("the first".utf8), Array("the second".utf8)]

  /// A closed store with two attachments of the documents a, which is sealed, and b.
  private func store() throws -> (SimulatedFileSystem, [String: [StoredAttachment]]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system, seed: 2)
    var source = EntrySource(seed: 1)
    var stored: [String: [StoredAttachment]] = [:]
    for letter in ["a", "b"] {
      _ = try writer.append([(name(letter), source.entries(of: name(letter), count: 3))])
      if letter == "a" { try writer.seal(name("a")) }
      for content in contents {
        let attached = try #require(try writer.attach(content, to: name(letter)))
        stored[letter, default: []].append(attached.attachment)
      }
    }
    try writer.close()
    return (system, stored)
  }

  private func path(_ digest: AttachmentDigest, of number: UInt64) -> String {
    "/store/documents/\(StoreLayout.name(of: number))/\(StoreLayout.name(of: digest))"
  }

  /// What becomes of a file.
  enum Change: CaseIterable {
    case removed, emptied, cut, longer
    /// It is exchanged with the other one of the document.
    case exchanged
    /// It is exchanged with the same one of the other document.
    case moved

    /// True if the size of the file says that it has changed.
    var isSeenBySize: Bool { self != .moved }
  }

  private func change(
    _ system: SimulatedFileSystem, _ change: Change, _ stored: [String: [StoredAttachment]]
  ) throws {
    let first = path(try #require(stored["a"]?.first).digest, of: 1)
    let bytes = try #require(system[first])
    func swap(_ other: String) {
      system[first] = system[other]
      system[other] = bytes
    }
    switch change {
    case .removed: system[first] = nil
    case .emptied: system[first] = []
    case .cut: system[first] = bytes.dropLast(5)
    case .longer: system[first] = bytes + [0]
    case .exchanged: swap(path(try #require(stored["a"]?.last).digest, of: 1))
    case .moved: swap(path(try #require(stored["b"]?.first).digest, of: 2))
    }
  }

  @Test(arguments: Change.allCases)
  func `a lost attachment is named until it is accepted`(change: Change) throws {
    let (system, stored) = try store()
    try self.change(system, change, stored)
    let digest = try #require(stored["a"]?.first).digest
    let count = [.exchanged, .moved].contains(change) ? 2 : 1
    for seed in [UInt64(2), 4] {
      let store = try Store.open(at: "/store", fileSystem: system)
      let report = try store.verify()
      #expect(report.problems.count == count && report.unknownFiles.isEmpty)
      #expect(throws: LogError.self) { _ = try store.attachment(digest, of: name("a")) }
      if change.isSeenBySize {
        #expect(try store.attachmentLosses().count == count)
        #expect(try store.attachmentLosses(of: name("a")).first { $0.digest == digest } != nil)
        #expect(try store.attachmentLosses(of: name("b")) == [])
      }
      // A start of the writer changes nothing of that.
      let writer = try openWriter(system, seed: seed)
      let losses = try writer.attachmentCheck().losses()
      #expect(losses.count == (change.isSeenBySize ? count : 0))
      try writer.close()
    }
    var writer = try openWriter(system, seed: 2)
    let accepted = try writer.acceptLosses()
    #expect(accepted.filter { $0.file.hasSuffix(".attachment") }.count == count)
    try writer.close()
    let store = try Store.open(at: "/store", fileSystem: system)
    let report = try store.verify()
    #expect(report.problems.isEmpty && report.losses.allSatisfy { $0.acceptedTime != nil })
    #expect(try store.attachmentLosses() == [])
    #expect(try store.attachments(of: name("a")).count == (change == .exchanged ? 0 : 1))
    // Attached again, it is promised again.
    writer = try openWriter(system, seed: 2)
    #expect(try writer.attach(contents[0], to: name("a"))?.isNew == true)
    try writer.close()
    system[path(digest, of: 1)] = nil
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.count == 1)
  }

  /// The file is put back, or the same bytes are attached again: nothing is lost.
  @Test func `what is attached again is not lost`() throws {
    let (system, stored) = try store()
    try change(system, .removed, stored)
    let writer = try openWriter(system, seed: 2)
    #expect(try writer.attach(contents[0], to: name("a"))?.isNew == true)
    #expect(try writer.attachmentCheck().losses() == [])
    try writer.close()
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems == [])
  }

  @Test func `the list forgets a document`() throws {
    let (system, stored) = try store()
    let writer = try openWriter(system, seed: 2)
    _ = try writer.forget(name("a"))
    let list = try #require(system["/store/attachments"])
    let digests = try #require(stored["a"]).map(\.digest.bytes)
    // The other document has the same two.
    for digest in digests { #expect(list.ranges(of: digest).count == 1) }
    _ = try writer.forget(name("b"))
    for digest in digests { #expect(!system.rawBytes.contains { !$0.ranges(of: digest).isEmpty }) }
    #expect(try writer.attachmentCheck().losses() == [])
    try writer.close()
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems == [])
  }

  /// Programs that do not know the list leave what they attach to the next attachment, and documents
  /// that they forget to the next start.
  @Test func `the list follows older programs`() throws {
    let (system, stored) = try store()
    let list = system["/store/attachments"]
    system["/store/attachments"] = nil
    var writer = try openWriter(system, seed: 2)
    _ = try writer.attach([1], to: name("a"))
    #expect(writer.listedAttachments(of: 1).count == 3 && writer.listedAttachments(of: 2).isEmpty)
    try writer.sealAll()
    try writer.close()
    // A check lists them too.
    writer = try openWriter(system, seed: 2)
    let check = try #require(try writer.prepareCheck(name("b"), NoComparison()))
    check.run()
    try writer.finish(check)
    #expect(writer.listedAttachments(of: 2).count == 2)
    try writer.close()
    try change(system, .removed, stored)
    #expect(try Store.open(at: "/store", fileSystem: system).attachmentLosses().count == 1)
    // Forgotten without the list, which comes back.
    writer = try openWriter(system, seed: 2)
    _ = try writer.forget(name("a"))
    try writer.close()
    system["/store/attachments"] = list
    #expect(try Store.open(at: "/store", fileSystem: system).attachmentLosses() == [])
    try openWriter(system, seed: 2).close()
    let left = try Store.open(at: "/store", fileSystem: system).listedAttachments()
    #expect(Set(left.keys) == [2])
  }

  @Test func `a list that is not valid is said`() throws {
    let (system, _) = try store()
    system["/store/attachments"]?[3] ^= 1
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.count == 1)
    let writer = try openWriter(system, seed: 2)
    #expect(writer.losses.map(\.file) == ["attachments"])
    try writer.close()
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems == [])
  }
}

/// Finds no difference.
private struct NoComparison: CheckpointComparing {
  func differing(
    _ checkpoints: [CheckpointPlace], in history: History,
    state: (CheckpointPlace) throws(LogError) -> [UInt8]?, while shouldContinue: () -> Bool
  ) throws(LogError) -> [CheckpointPlace]? { [] }
}
