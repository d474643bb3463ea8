import EditClient
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// The daemon's log in systemd's journal.
@Suite(.timeLimit(.minutes(10))) struct JournalTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path("journal") }

  /// A socket as the journal has it.
  private func listen() throws -> Int32 {
    var name = try #require(sockaddr_un(path: path))
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    return descriptor
  }

  @Test func entriesHaveFields() throws {
    #expect(JournalSocket(path: path) == nil)
    let journal = try listen()
    defer { close(journal) }
    let socket = try #require(JournalSocket(path: path))
    #expect(socket.send([("MESSAGE", "one"), ("PRIORITY", "5"), ("EDITLOG_A", "two\nlines")]))
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = recv(journal, &bytes, bytes.count, 0)
    let expected =
      Array("MESSAGE=one\nPRIORITY=5\nEDITLOG_A\n".utf8) + [9, 0, 0, 0, 0, 0, 0, 0]
      + Array("two\nlines\n".utf8)
    #expect(Array(bytes.prefix(max(count, 0))) == expected)
    #expect(JournalSocket.fieldName("open-Files 2") == "EDITLOG_OPEN_FILES_2")
    #expect(JournalSocket.fieldName(String(repeating: "x", count: 100)).utf8.count == 64)
  }

  /// The daemon does not wait for a journal that is busy, and notices one that is gone.
  @Test func aJournalThatDoesNotTakeEntriesIsNotWaitedFor() throws {
    let journal = try listen()
    let socket = try #require(JournalSocket(path: path))
    let entry = [("MESSAGE", String(repeating: "x", count: 10_000))]
    var count = 0
    while count < 100_000, socket.send(entry) { count += 1 }
    #expect((1..<100_000).contains(count))
    close(journal)
    #expect(!socket.send(entry))
  }

  @Test func theVariableIsOfTheStream() throws {
    var info = stat()
    try #require(fstat(STDERR_FILENO, &info) == 0)
    #expect(JournalSocket.isJournal(STDERR_FILENO, "\(info.st_dev):\(info.st_ino)"))
    for other in [nil, "", "\(info.st_dev):\(info.st_ino + 1)", "1", "\(info.st_ino)"] {
      #expect(!JournalSocket.isJournal(STDERR_FILENO, other))
      #expect(JournalSocket(standardError: other, path: path) == nil)
    }
  }

  /// A terminal of a desktop inherits the variable from the service that started it.
  @Test(
    .enabled("there is no journal here") { access(JournalSocket.standardPath, F_OK) != 0 },
    arguments: [true, false])
  func linesHaveTheirPriorityForTheJournalAlone(isJournal: Bool) async throws {
    let stream = isJournal ? "$(stat -L -c %d:%i /proc/self/fd/2)" : "1:2"
    let (status, log) = try await ChildDaemon(in: folder).run(
      launcher: ["sh", "-c", "JOURNAL_STREAM=\(stream) exec \"$@\"", "sh"]
    ) { process in process(SIGTERM) }
    #expect(status == .exited(0))
    let lines = log.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines { #expect(line.hasPrefix(isJournal ? "<5>" : "editlogd: "), "\(line)") }
  }
}
