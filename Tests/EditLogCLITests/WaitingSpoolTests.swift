import ArgumentParser
import EditClient
import EditJSON
import EditModel
import EditProtocol
import EditSpool
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog status` shows what an editor's bridge could not deliver.
@Suite struct WaitingSpoolTests {
  /// An editor that says these notifications and ends.
  private final class Editor: BridgeInput, BridgeOutput {
    private let chunks: Mutex<[ByteBuffer]>
    let isEnding = true

    init(_ messages: [RPCMessage]) { chunks = Mutex(messages.map(\.frame)) }

    func read() -> ByteBuffer? { chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    func stop() {}
    func write(_ bytes: ByteBuffer) {}
  }

  private func status(_ folder: TemporaryFolder, _ arguments: [String]) async throws -> String {
    var bench = Bench(try await makeStoreBackend(path: folder.path("store")))
    bench.session.spoolFolder = folder.path("spool")
    try await StatusCommand.parse(arguments).run(in: bench.session)
    await bench.session.backend.close()
    return bench.printed
  }

  /// Runs a bridge of an editor that opens a document, while no daemon runs.
  private func edit(_ folder: TemporaryFolder, store: String? = nil) async throws {
    var configuration = LSPBridge.Configuration(
      socketPath: folder.path("s"), spoolDirectory: folder.path("spool"))
    (configuration.shutdownPatience, configuration.endPatience) = (.zero, .zero)
    configuration.store = store
    let params = DidOpenParams(
      uri: try #require(DocumentID("file:///a")), version: 0, text: UTF16Text("text"))
    let editor = Editor([.notification(method: "textDocument/didOpen", params: params.json)])
    var generator = SplitMix64(seed: 1)
    _ = try await LSPBridge(
      configuration, input: editor, output: editor, using: &generator, note: { _ in }
    ).run()
  }

  private func makeStore(_ folder: TemporaryFolder) async throws {
    let writer = try await makeStoreBackend(path: folder.path("store"))
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text("x"))
    _ = try await writer.call(
      "editlog/append", ["document": "a", "edits": [AppendEdit(action: action).json]])
    await writer.close()
  }

  /// It waits for a daemon of that store, whatever other daemon runs.
  @Test func theStoreOfASpoolIsNamed() async throws {
    let folder = TemporaryFolder()
    try await makeStore(folder)
    try await edit(folder, store: folder.path("other"))
    let text = try await status(folder, [])
    #expect(
      text.contains("; a daemon of the store \(folder.path("other")), and no other, logs them\n"))
    try await edit(folder, store: folder.path("store"))
    let lines = try await status(folder, []).split(separator: "\n")
    #expect(lines.count { $0.hasSuffix("; the daemon, when it starts, logs them") } == 1)
  }

  @Test func whatAnEditorCouldNotDeliverIsShown() async throws {
    let folder = TemporaryFolder()
    try await makeStore(folder)
    #expect(try await !status(folder, []).contains("waiting:"))
    let none = try JSON.parse(Array(try await status(folder, ["--json"]).utf8))
    #expect(none["spools"] == [])
    try await edit(folder)
    let text = try await status(folder, [])
    // The document was opened, and closed when the editor ended.
    #expect(text.contains("waiting: 2 messages ("))
    #expect(text.contains("; the daemon, when it starts, logs them\n"))
    // `doctor` warns of it.
    let machine = DoctorMachine(
      environment: { [folder] in $0 == "EDITLOG_SPOOL" ? folder.path("spool") : nil })
    let doctor = Doctor(
      machine: machine, location: .socket(""),
      status: .failure(ProtocolError(.unreachable, "")))
    let warning = try #require(await doctor.findings.first { $0.check == "waiting" })
    #expect(warning.state == .warning)
    #expect(warning.what.hasPrefix("2 messages of editors that have ended are in 1 spool, the "))
    let json = try JSON.parse(Array(try await status(folder, ["--json"]).utf8))
    let spool = try #require(try json["spools"]?.asArray().first)
    #expect(spool["requests"] == 2 && spool["held"] == false)
    #expect(try spool.asObject().string("path").hasPrefix(folder.path("spool/lsp-")))
  }
}
