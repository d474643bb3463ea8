import ArgumentParser
import EditModel
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog backup`: what it prints, what it refuses, and that the backup is a store.
@Suite struct BackupVerbTests {
  private func store() throws -> RealStore {
    try RealStore.scripted { script in
      try script.replace(0..<0, "one")
      try script.replace(3..<3, " two")
    }
  }

  /// The exit status and the message of a refusal.
  private func refusal(
    _ store: RealStore, _ arguments: [String]
  ) async throws -> (exitCode: Int32, message: String) {
    do {
      let result = try await store.run(BackupCommand.self, arguments)
      Issue.record("\(arguments): \(result.printed)")
      return (0, "")
    } catch {
      let ending = Ending(error)
      return (ending.exitCode, ending.text)
    }
  }

  @Test func `a backup is made, grows, and is read as a store`() async throws {
    let store = try store()
    let folder = store.folder.path("backup")
    let planned = try await store.run(BackupCommand.self, [folder, "--dry-run"])
    #expect(planned.printed.contains("would copy:") && access(folder, F_OK) != 0)
    // Slashes at the end are no part of the name.
    let first = try await store.run(BackupCommand.self, [folder + "//", "--verify"])
    #expect(first.exitCode == 0 && first.printed.contains("sound: 1 document, 2 edits"))
    #expect(!first.printed.contains("resumed"))
    let again = try await store.run(BackupCommand.self, [folder, "--json"])
    #expect(again.printed.contains(#""documents":1,"edits":2,"files":0,"size":0"#))
    var script = HistoryScript()
    try script.replace(0..<0, "other")
    try store.append(script.entries, to: "e")
    let more = try await store.run(BackupCommand.self, [folder, "--json", "--verify"])
    #expect(more.printed.contains(#""documents":2,"edits":3"#) && more.exitCode == 0)
    let backend = try await makeStoreBackend(path: folder)
    let bench = Bench(backend)
    try await ShowCommand.parse(["d"]).run(in: bench.session)
    #expect(bench.printed == "one two")
    await backend.close()
    var status = stat()
    #expect(lstat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(lstat(folder + "/catalog", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `a folder that cannot hold the backup is refused`() async throws {
    let store = try store()
    let place = store.folder
    for folder in [store.path, store.path + "/", store.path + "/documents/new", place.path] {
      #expect(try await refusal(store, [folder]).exitCode == 73, "\(folder)")
    }
    // By another name, and by a link.
    let link = place.path("link")
    #expect(symlink(store.path, link) == 0)
    #expect(try await refusal(store, [link]).exitCode == 73)
    #expect(try await refusal(store, [link + "/inside"]).exitCode == 73)
    let full = place.path("full")
    #expect(mkdir(full, 0o700) == 0 && symlink("x", full + "/letter") == 0)
    let refused = try await refusal(store, [full])
    #expect(refused.exitCode == 73 && refused.message.contains("not empty"))
    // A link to an empty folder is not followed, with a slash after it neither.
    let (empty, linked) = (place.path("empty"), place.path("linked"))
    #expect(mkdir(empty, 0o700) == 0 && symlink(empty, linked) == 0)
    for folder in [linked, linked + "/"] {
      #expect(try await refusal(store, [folder]).exitCode == 73, "\(folder)")
    }
    #expect(chmod(empty, 0o777) == 0)
    #expect(try await refusal(store, [empty]).exitCode == 73)
    let file = try place.write("text", to: "file")
    #expect(try await refusal(store, [file]).exitCode == 73)
    #expect(try await refusal(store, [""]).exitCode == 64)
    // A verb that wrote to a backup made it a store of its own.
    let backup = place.path("backup")
    _ = try await store.run(BackupCommand.self, [backup])
    let backend = try await makeStoreBackend(path: backup)
    let bench = Bench(backend)
    try await MarkCommand.parse(["d", "here"]).run(in: bench.session)
    await backend.close()
    let written = try await refusal(store, [backup])
    #expect(written.exitCode == 73 && written.message.contains("opened for writing"))
  }

  @Test func `a backup that was not completed is no store`() async throws {
    let store = try store()
    let folder = store.folder.path("backup")
    _ = try await store.run(BackupCommand.self, [folder])
    for name in ["format", "confirmed"] { #expect(unlink("\(folder)/\(name)") == 0) }
    let backend = try await makeStoreBackend(path: folder)
    let bench = Bench(backend)
    do {
      try await ShowCommand.parse(["d"]).run(in: bench.session)
      Issue.record("it was opened")
    } catch {
      #expect(Ending(error).text.contains("run `editlog backup` to this folder again"))
    }
    await backend.close()
    let again = try await store.run(BackupCommand.self, [folder, "--verify"])
    #expect(again.exitCode == 0 && again.printed.contains("sound"))
  }
}
