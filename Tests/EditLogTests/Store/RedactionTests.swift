import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Redaction is no feature of this version: whatever says that something was redacted is refused.
@Suite struct RedactionTests {
  private let document = name("a")
  private let path = "/store/documents/00000000000000000001/00000000000000000001.segment"

  /// A history of a link and a bit, sealed, and the head of its last acknowledgement.
  private func store() throws -> (SimulatedFileSystem, AppendReceipt) {
    let system = SimulatedFileSystem()
    var options = StoreWriter.Options.small
    (options.segmentSizeMax, options.journalSizeMax) = (1 << 30, 1 << 30)
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, random: SeededBytes(seed: 3), options: options)
    let entries = (1...DocumentChain.linkSize + 100).map { sequence in
      HistoryEntry.edit(
        Edit(
          sequence: sequence, action: EditAction(replacing: UTF16Range(0..<0), with: "x"),
          time: Timestamp(nanoseconds: Int64(sequence))))
    }
    let receipt = try #require(try writer.append([(document, entries)]).first)
    try writer.sealAll()
    try writer.close()
    return (system, receipt)
  }

  /// With the original's hash in section 9, any text in a link would leave each head after it as it
  /// was.
  @Test func `a text that was changed under a section of redactions is refused`() throws {
    let (system, receipt) = try store()
    try SegmentRedaction(system).redact(700) { _ in "f" }
    let store = try Store.open(at: "/store", fileSystem: system)
    let error = #expect(throws: LogError.self) { try store.history(of: document) }
    #expect("\(try #require(error))".contains("redaction is not a feature of this version"))
    #expect("\(try #require(error))".contains(path))
    #expect(try store.verify().problems.count == 1)
    #expect(receipt.lastSequence == DocumentChain.linkSize + 100)
    let writer = try openWriter(system, seed: 4)
    #expect(throws: LogError.self) { try writer.history(of: document) }
    #expect(throws: LogError.self) { try writer.append([(document, [])]) }
  }

  /// The section is refused wherever it stands and whatever is in it, and if only the trailer's
  /// place was lost.
  @Test(arguments: [[], [0], [1, 2, 3], [UInt8](repeating: 7, count: 400)])
  func `any section of redactions is refused`(body: [UInt8]) throws {
    let (system, _) = try store()
    var parts = try #require(SegmentParts(system[path] ?? []))
    parts[9] = body
    for bytes in [parts.file, parts.data, parts.data + [0]] {
      system[path] = bytes
      let store = try Store.open(at: "/store", fileSystem: system)
      let error = #expect(throws: LogError.self) { try store.history(of: document) }
      #expect("\(try #require(error))".contains("redaction"))
    }
  }
}
