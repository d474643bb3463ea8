import ArgumentParser
import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog restore --write` between two sessions of an editor.
@Suite(.timeLimit(.minutes(10))) struct RestoredFileTests {
  private func restore(_ arguments: [String], _ socket: String) async throws -> String {
    let diagnostics = Output()
    let session = Session(
      backend: try await SocketBackend(path: socket), output: Output(), diagnostics: diagnostics,
      now: Timestamp(nanoseconds: 0), utcOffset: { _ in 0 })
    let command = try #require(try RestoreCommand.parseAsRoot(arguments) as? RestoreCommand)
    do { try await command.run(in: session) } catch {
      await session.backend.close()
      throw error
    }
    await session.backend.close()
    return String(decoding: diagnostics.captured, as: UTF8.self)
  }

  @Test func `the next editor that opens the file logs no edit from outside`() async throws {
    let folder = TemporaryFolder()
    try await withClient(in: folder) { client, daemon in
      let file = try folder.write("one\ntwo\n", to: "notes.md")
      let name = FileURI.uri(of: file)
      // Each run of an editor is a session.
      func open(_ text: String, seed: UInt64) -> FakeEditor {
        FakeEditor(name, text, socket: daemon.socket, spool: folder.path("spool"), seed: seed)
      }
      var editor = open("one\ntwo\n", seed: 1)
      editor.type("", at: 0, removing: 4)
      editor.report()
      try await until { (try? await client.text(of: name)) == "two\n" }
      // While an editor has the file open, it makes the change.
      let error = await #expect(throws: ProtocolError.self) {
        try await restore([file, "--at", "1", "--write"], daemon.socket)
      }
      #expect(error?.code == .openInEditor)
      // What it would change can be shown all the same.
      let planned = try await restore([file, "--at", "1", "--write", "--dry-run"], daemon.socket)
      #expect(planned.contains("To restore version 1 would change:"))
      #expect(planned.contains("the file not written: an editor has \(file) open"), "\(planned)")
      let written = await #expect(throws: ProtocolError.self) {
        let backend = try await SocketBackend(path: daemon.socket)
        let session = Session(
          backend: backend, output: Output(), diagnostics: Output(), now: Timestamp(nanoseconds: 0),
          utcOffset: { _ in 0 })
        do { try await WriteCommand.parse([file]).run(in: session) } catch {
          await backend.close()
          throw error
        }
        await backend.close()
      }
      #expect(written?.code == .openInEditor)
      #expect(written?.message.contains("--write") == false, "\(written?.message ?? "")")
      #expect(try await client.text(of: name) == "two\n")
      try DiskFile.replace(file, with: Array("two\n".utf8))
      editor.save()
      await editor.quit()
      #expect(try await restore([file, "--at", "1", "--write"], daemon.socket) == "")
      #expect(try String(decoding: DiskFile.bytes(file), as: UTF8.self) == "one\ntwo\n")
      let edits = try await client.edits(of: name)
      editor = open("one\ntwo\n", seed: 2)
      editor.type("new ", at: 0)
      editor.report()
      try await until { (try? await client.text(of: name)) == "new one\ntwo\n" }
      await editor.quit()
      let later = try await client.edits(of: name)
      #expect(later.count == edits.count + 1)
      #expect(later.allSatisfy { $0.origin != .external })
    }
  }

  @Test func `an open file is not reported as unchanged`() async throws {
    let folder = TemporaryFolder()
    // The editor may be slow, because the machine may be.
    try await withDaemon(in: folder, { $0.ingest.askingSeconds = 60 }) { daemon in
      let client = try await daemon.connect()
      let file = try folder.write("one\ntwo\n", to: "notes.md")
      let name = FileURI.uri(of: file)
      let editor = FakeEditor(
        name, "one\ntwo\n", socket: daemon.socket, spool: folder.path("spool"))
      editor.type("", at: 0, removing: 4)
      editor.report()
      try await until { (try? await client.text(of: name)) == "two\n" }
      #expect(try await restore([file, "--at", "1"], daemon.socket) == "")
      try await until { editor.text == "one\ntwo\n" }
      await editor.quit()
      await client.close()
    }
  }
}
