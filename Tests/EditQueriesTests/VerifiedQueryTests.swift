import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import TestSupport
import Testing

/// Reading that believes the hash chain, and not checksums.
@Suite struct VerifiedQueryTests {
  private static let name = "file:///note.md"
  private let document = DocumentID(name) ?? { preconditionFailure("a name") }()
  private let folder = TemporaryFolder()
  private var store: String { folder.path("store") }
  private var documentFolder: String { store + "/documents/00000000000000000001" }
  private let count: SequenceNumber = 4_300

  /// A link and a bit in two segments, the last ten in the journal; one has another text if
  /// `forged` names it. All random bytes are the same. The head of the last acknowledgement.
  @discardableResult
  private func write(to path: String, forged: SequenceNumber? = nil) throws -> AppendReceipt {
    var options = StoreWriter.Options()
    (options.segmentSizeMax, options.blockEditCountMax) = (1, 1_000)
    options.loneSegmentSizeMax = 0
    let writer = try StoreWriter(
      at: path, clock: FixedClock(), random: SeededBytes(seed: 1), options: options)
    var receipt: AppendReceipt?
    for range in [1...4_200, 4_201...4_290, 4_291...count] {
      let entries = range.map { sequence in
        HistoryEntry.edit(
          Edit(
            sequence: sequence,
            action: EditAction(
              replacing: UTF16Range(Int(sequence) - 1..<Int(sequence) - 1),
              with: sequence == forged ? "f" : "x"),
            time: Timestamp(nanoseconds: Int64(sequence))))
      }
      receipt = try writer.append([(document, entries)]).first
      if range.upperBound < count { try writer.seal(document) }
    }
    try writer.close()
    return try #require(receipt)
  }

  /// A store whose segments have the blocks of a history in which one edit has another text, and
  /// footers that hold the chain of the original.
  private func forge(_ sequence: SequenceNumber) throws -> AppendReceipt {
    let receipt = try write(to: store)
    let other = folder.path("other")
    try write(to: other, forged: sequence)
    for segment in ["00000000000000000001.segment", "00000000000000004201.segment"] {
      let place = "/documents/00000000000000000001/" + segment
      var parts = try #require(SegmentParts(try DiskFile.bytes(store + place)))
      parts.blocks = try #require(SegmentParts(try DiskFile.bytes(other + place))).blocks
      try DiskFile.replace(store + place, with: parts.file)
    }
    return receipt
  }

  private func ask(_ method: String, _ params: JSONObject = [:]) async throws -> JSON {
    var params = params
    params["document"] = JSON(Self.name)
    return try await QueryEngine(try StoreFiles(at: store)).answer(
      "editlog/\(method)", .object(params))
  }

  private static let readings: [(String, JSONObject)] = [
    ("state", [:]), ("state", ["at": 700]), ("state", ["at": "1970-01-02"]), ("paragraphs", [:]),
    ("diff", ["from": 1]), ("log", ["limit": 10]), ("trace", [:]), ("undo", ["list": true]),
    ("undo", ["dryRun": true]),
  ]

  @Test(arguments: readings)
  func `a forged block is shown, and refused when it is verified`(
    method: String, params: JSONObject
  ) async throws {
    _ = try forge(300)
    _ = try await ask(method, params)
    var verified = params
    verified["verified"] = true
    let error = await #expect(throws: ProtocolError.self) { try await ask(method, verified) }
    #expect(error?.code == .damagedLog)
    let message = error?.message ?? ""
    #expect(message.contains("00000000000000000001.segment"), "\(message)")
    #expect(message.contains(Self.name) && message.contains("edits 1 to 4096"), "\(message)")
  }

  @Test(arguments: readings)
  func `a sound history is read the same`(method: String, params: JSONObject) async throws {
    let receipt = try write(to: store)
    var verified = params
    verified["verified"] = true
    let (plain, checked) = (try await ask(method, params), try await ask(method, verified))
    if method != "trace" { #expect(plain == checked) }
    verified["head"] = JSON("\(document)@\(receipt.lastSequence):\(receipt.head)")
    let confirmed = try await ask(method, verified)
    if method != "trace" { #expect(plain == confirmed) }
  }

  /// Only the links that were read are asked: an old version does not depend on what came later.
  @Test func `links that were not read are not asked`() async throws {
    _ = try forge(4_250)
    #expect(try await ask("state", ["at": 4_000, "verified": true])["sequence"] == 4_000)
    _ = try await ask("log", ["through": 4_000, "verified": true])
    for (method, params) in [
      ("state", [:]), ("state", ["at": 4_250]), ("log", ["after": 4_210]), ("undo", ["list": true]),
    ] as [(String, JSONObject)] {
      var params = params
      params["verified"] = true
      let error = await #expect(throws: ProtocolError.self) { try await ask(method, params) }
      #expect(error?.message.contains("00000000000000004201.segment") == true)
    }
  }

  /// What a forger made consistent, chain and all, only a head that was kept elsewhere shows.
  @Test func `a head shows what is consistent`() async throws {
    let receipt = try write(to: folder.path("original"))
    try write(to: store, forged: 300)
    _ = try await ask("state", ["verified": true])
    let head = JSON("\(document)@\(receipt.lastSequence):\(receipt.head)")
    let error = await #expect(throws: ProtocolError.self) { try await ask("state", ["head": head]) }
    #expect(error?.code == .damagedLog)
    #expect(error?.message.contains("does not confirm") == true)
    let shape = await #expect(throws: ProtocolError.self) { try await ask("state", ["head": "x"]) }
    #expect(shape?.code == .invalidParams)
  }
}
