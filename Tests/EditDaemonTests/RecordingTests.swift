import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing

@testable import EditLogCommands

/// The project's own recording goes through the socket, and no version of it comes back changed.
@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
  /// At the end and at 200 random points, before and after sealing, with the daemon running and
  /// stopped: the text of a naive replay.
  @Test(arguments: [UInt64(1)])
  func everyVersionComesBack(seed: UInt64) async throws {
    let recording = try Recording()
    var random = SplitMix64(seed: seed)
    let points = Set(
      [0, recording.texts.count - 1]
        + (0..<200).map { _ in Int.random(in: 0..<recording.texts.count, using: &random) })
    let folder = TemporaryFolder()
    try await withDaemon(in: folder, { $0.ingest.sealAfter = .max }) { daemon in
      let client = try await daemon.connect()
      for start in stride(from: 0, to: recording.edits.count, by: 256) {
        let edits = recording.edits[start..<min(start + 256, recording.edits.count)]
        _ = try await client.append(
          AppendRequest(document: Recording.document, edits: Array(edits)))
      }
      let store = try StoreFiles(at: daemon.store)
      #expect(try store.documents().first?.sealedSize == 0)
      try await recording.check(points, "unsealed, through the socket", through(client))
      try await recording.check(points, "unsealed, from the files", from(store))
      await client.close()
    }
    let store = try StoreFiles(at: RunningDaemon.store(in: folder))
    #expect(try store.documents().first?.unsealedSize == 0)
    try await recording.check(points, "sealed, from the files", from(store))
    try await withClient(in: folder) { client, _ in
      try await recording.check(points, "sealed, through the socket", through(client))
    }
  }

  private func through(_ client: EditLogClient) -> (JSON) async throws -> JSON {
    { try await client.call("editlog/state", $0) }
  }

  private func from(_ store: StoreFiles) -> (JSON) async throws -> JSON {
    { try await QueryEngine(store).answer("editlog/state", $0) }
  }
}

/// The recording in Tools/demo: its edits, and by naive replay the text after each.
private struct Recording {
  static let document = DocumentID("essay") ?? { preconditionFailure("a name") }()
  private(set) var edits: [AppendEdit] = []
  private(set) var texts: [String] = [""]

  init() throws {
    let project = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(project)/Tools/demo/essay.json.gz"
    var reader = try TraceReader(try InputFile.read(path), path: path)
    var converter = TraceConverter(path: path)
    var scalars: [Unicode.Scalar] = []
    while let transaction = try reader.next() {
      edits += try converter.edits(of: transaction)
      for patch in transaction.patches {
        let inserted = String(decoding: patch.inserted, as: UTF16.self).unicodeScalars
        scalars.replaceSubrange(patch.position..<patch.position + patch.deleted, with: inserted)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        texts.append(String(text))
      }
    }
  }

  func check(
    _ points: Set<Int>, _ state: String, _ ask: (JSON) async throws -> JSON
  ) async throws {
    for point in points.sorted() {
      let answer = try await ask(["document": "essay", "at": JSON(point)])
      let isEqual = answer["text"] == JSON(texts[point])
      #expect(isEqual, "at \(point), \(state)")
    }
  }
}
