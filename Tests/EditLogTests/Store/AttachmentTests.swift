@testable import EditLog
@testable import EditLogFormat
import EditModel
import Glibc
import Synchronization
import TestSupport
import Testing

/// The bytes of attachments: once, durable before they are named, checked, and gone with their document.
@Suite struct AttachmentTests {
  private let a = name("a")
  private let b = name("b")
  private let content = Array("the nEEdle of an attachment".utf8)

  private func write(_ system: any FileSystem) throws -> StoreWriter {
    let writer = try openWriter(system)
    for document in [a, b] where try writer.history(of: document) == nil {
      let action = EditAction(replacing: UTF16Range(0..<0), with: "text")
      _ = try writer.append([(document, [.edit(Edit(sequence: 1, action: action))])])
    }
    return writer
  }

  private func store(_ system: any FileSystem) throws -> Store {
    try Store.open(at: "/store", fileSystem: system)
  }

  @Test(arguments: [false, true])
  func `bytes are stored once, and come back`(isSealed: Bool) throws {
    let system = SimulatedFileSystem()
    let writer = try write(system)
    if isSealed { try writer.sealAll() }
    let first = try #require(try writer.attach(content, to: a))
    #expect(first.isNew && first.attachment.size == content.count)
    let again = try #require(try writer.attach(content, to: a))
    #expect(!again.isNew && again.attachment == first.attachment)
    let empty = try #require(try writer.attach([], to: a)).attachment
    #expect(
      "\(empty.digest)" == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(try writer.attach(content, to: name("none")) == nil)
    let digest = first.attachment.digest
    #expect(AttachmentDigest("\(digest)") == digest)
    // Sealing, more edits and another opening leave them.
    try writer.sealAll()
    try writer.close()
    let next = try write(system)
    try next.close()
    let store = try store(system)
    #expect(try store.attachment(digest, of: a) == content)
    #expect(try store.attachment(empty.digest, of: a) == [])
    #expect(try store.attachment(digest, of: b) == nil)
    #expect(
      try store.attachments(of: a)
        == [first.attachment, empty].sorted { "\($0.digest)" < "\($1.digest)" })
    #expect(try store.attachments(of: b) == [])
    let usage = try store.usage()
    #expect(usage.size == system.files.values.reduce(0) { $0 + $1.count })
    #expect(
      usage.documents.map(\.attachmentSize)
        == [content.count + 2 * AttachmentFile.frontSize, 0])
    let report = try store.verify()
    #expect(report.problems == [] && report.unknownFiles == [])
  }

  @Test func `a bit that changed is found`() throws {
    let system = SimulatedFileSystem()
    let writer = try write(system)
    let digest = try #require(try writer.attach(content, to: a)).attachment.digest
    try writer.close()
    let path = "/store/documents/\(StoreLayout.name(of: 1))/\(digest).attachment"
    let bytes = try #require(system[path])
    #expect(bytes.count == AttachmentFile.frontSize + content.count)
    for changed in bytes.flips {
      system[path] = changed
      let store = try store(system)
      #expect(throws: LogError.self) { try store.attachment(digest, of: a) }
      let report = try store.verify()
      #expect(report.problems.count == 1 && report.problems.first?.document == a)
    }
    for cut in bytes.cuts {
      system[path] = cut
      #expect(try store(system).verify().problems.count == 1)
    }
    // Another document's file is not taken for it.
    system[path] = bytes
    let other = "/store/documents/\(StoreLayout.name(of: 2))"
    _ = try write(system).attach([1], to: b)
    system["\(other)/\(digest).attachment"] = bytes
    #expect(throws: LogError.self) { try store(system).attachment(digest, of: b) }
    // Storing it again replaces what has changed.
    system[path] = Array(bytes.dropLast()) + [0]
    let repaired = try #require(try write(system).attach(content, to: a))
    #expect(repaired.isNew && system[path] == bytes)
  }

  @Test func `it is forgotten with its document`() throws {
    let system = SimulatedFileSystem()
    let writer = try write(system)
    let digest = try #require(try writer.attach(content, to: a)).attachment.digest
    _ = try writer.attach(content, to: b)
    let receipt = try #require(try writer.forget(a))
    #expect(receipt.removed.fileCount == 1)
    #expect(try store(system).attachment(digest, of: a) == nil)
    #expect(try store(system).attachment(digest, of: b) == content)
    _ = try writer.forget(b)
    #expect(!system.rawBytes.contains { $0.hold("nEEdle") })
  }

  @Test func `limits and jobs are refused`() throws {
    let system = SimulatedFileSystem()
    let writer = try write(system)
    let long = [UInt8](repeating: 0, count: AttachmentLimits.sizeMax + 1)
    #expect(throws: LogError.self) { try writer.attach(long, to: a) }
    let job = try #require(try writer.prepareSeal(a))
    #expect(throws: LogError.self) { try writer.attach(content, to: a) }
    #expect(try writer.attach(content, to: b) != nil)
    job.run()
    try writer.finish(job)
    #expect(try writer.attach(content, to: a) != nil)
  }

  /// The machine stops before each operation: there is all of it, or nothing. Once it is returned, it
  /// stays, whatever is lost that was not flushed.
  @Test func `a crash at any moment leaves it whole or absent`() throws {
    let system = SimulatedFileSystem()
    try write(system).close()
    let moments = Mutex<[SimulatedFileSystem.Snapshot]>([])
    let watched = FaultyFileSystem(system) { operation in
      guard Workload.changes.contains(operation.name) else { return }
      moments.withLock { $0.append(system.snapshot) }
    }
    let writer = try openWriter(watched)
    let digest = try #require(try writer.attach(content, to: a)).attachment.digest
    let done = system.snapshot
    let all = moments.withLock { $0 } + [done]
    #expect(all.count > 5)
    for (count, moment) in all.enumerated() {
      for loss in [.all, .none, .some(seed: UInt64(count))] as [SimulatedFileSystem.Loss] {
        let crashed = SimulatedFileSystem.crash(moment, loss)
        let isThere = try store(crashed).attachment(digest, of: a) == content
        if count == all.count - 1 { #expect(isThere) }
        let next = try openWriter(crashed, seed: 2)
        #expect(next.recovery.isSound)
        #expect(try next.attach(content, to: a)?.isNew == !isThere)
        #expect(try store(crashed).attachment(digest, of: a) == content)
        #expect(try store(crashed).verify().problems == [])
      }
    }
  }

  /// Each operation fails once: the writer goes on, or has ended, and the store is sound.
  @Test func `a failure at any operation is survived`() throws {
    let fixed = SimulatedFileSystem()
    try write(fixed).close()
    for first in 0..<60 {
      for code in [EIO, ENOSPC] {
        let system = SimulatedFileSystem(fixed.snapshot)
        var digest: AttachmentDigest?
        let faulty = FaultyFileSystem(system)
        if let writer = try? openWriter(faulty) {
          var plan = FaultyFileSystem.Plan()
          (plan.first, plan.code) = (faulty.operationCount + first, code)
          faulty.setPlan(plan)
          digest = try? writer.attach(content, to: a)?.attachment.digest
          faulty.setPlan(FaultyFileSystem.Plan())
          try? writer.close()
        }
        let writer = try openWriter(system, seed: 2)
        if let digest {
          #expect(try store(system).attachment(digest, of: a) == content, "operation \(first)")
        }
        #expect(try writer.attach(content, to: a) != nil)
        #expect(try store(system).verify().problems == [], "operation \(first)")
      }
    }
  }
}
