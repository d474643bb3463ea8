import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct AuthorTests {
  private func resolved(
    _ option: String? = nil, environment: String? = nil, git: String? = nil, login: String? = nil
  ) throws -> String? {
    try Author(
      environment: { $0 == "EDITLOG_AUTHOR" ? environment : nil }, gitName: { git },
      loginName: { login }
    ).resolved(option)
  }

  @Test func theFirstNameThatIsGivenCounts() throws {
    #expect(try resolved("o", environment: "e", git: "g", login: "l") == "o")
    #expect(try resolved(environment: "e", git: "g", login: "l") == "e")
    #expect(try resolved(git: "g", login: "l") == "g")
    #expect(try resolved(login: "l") == "l")
    #expect(try resolved() == nil)
  }

  @Test func namesAreBounded() throws {
    let long = String(repeating: "a", count: 1_025)
    #expect(try resolved(git: long, login: "l") == "l")
    #expect(try resolved(git: "", login: long) == nil)
    let error = #expect(throws: CommandError.self) {
      try resolved(environment: long, login: "l")
    }
    #expect(error?.exitCode == 64 && error?.message.contains("EDITLOG_AUTHOR") == true)
  }

  @Test func thisProcessKnowsItsUserAndItsParent() {
    #expect(ThisProcess.loginName?.isEmpty == false)
    #expect(ThisProcess.parent?.process == UInt32(getppid()))
    #expect(ThisProcess.number == UInt32(getpid()))
    func line(_ command: String...) -> String? {
      ThisProcess.firstLine(of: command, environment: [])
    }
    #expect(line("printf", "a b\\nc\\n") == "a b")
    #expect(line("printf", "") == nil)
    #expect(line("no-such-program-anywhere") == nil)
    let start = ContinuousClock.now
    #expect(line("sleep", "300") == nil)
    #expect(.now - start < .seconds(200))
  }

  @Test func whatAProgramPrintsIsBounded() {
    func run(_ script: String) -> BriefRun {
      BriefRun(
        ["sh", "-c", script], environment: ["A=b"], sizeMax: 4_000, patience: .seconds(300))
    }
    #expect(run("printf $A; exit 3") == .ended(status: 3, output: Array("b".utf8)))
    #expect(run("kill -9 $$") == .ended(status: 137, output: []))
    let zeros = [UInt8](repeating: 0, count: 4_000)
    #expect(run("head -c 4000 /dev/zero") == .ended(status: 0, output: zeros))
    #expect(run("cat /dev/zero") == .endless)
    let late = BriefRun(
      ["sh", "-c", "exec >&-; sleep 300"], environment: [], sizeMax: 1, patience: .milliseconds(50))
    #expect(late == .endless)
  }

  private func append(
    _ lines: [String], _ arguments: [String] = [], to document: String, _ backend: any Backend
  ) async throws {
    var bench = Bench(backend)
    bench.session.isIdentified = true
    try await withTemporaryFile(Array((lines.joined(separator: "\n") + "\n").utf8)) { path in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try await AppendCommand.parse([document] + arguments).run(
        in: bench.session, input: LineReader(descriptor: descriptor, sizeMax: 1 << 20))
    }
  }

  /// What is typed is by the user; what is copied is by whoever typed it.
  @Test func appendIsByTheUserAndACopyIsNot() async throws {
    let backend = try await StoreHarness()
    let line = #"{"actions":["characters"],"location":0,"length":0,"changeInLength":1,"text":"a"}"#
    try await append(["", line], ["--author", "ann"], to: "typed", backend)
    #expect(try await backend.edits(of: "typed").map(\.author) == ["ann"])
    let bench = Bench(backend)
    try await LogCommand.parse(["typed"]).run(in: bench.session)
    #expect(bench.printed.contains("── session of editlog append 0.1.0"))
    #expect(bench.printed.contains("process \(getpid()) by ann"))
    let entry = line.dropLast() + #","v":1,"sequence":1,"time":0}"#
    try await append([String(entry)], to: "copied", backend)
    #expect(try await backend.edits(of: "copied").map(\.author) == [nil])
    try await append([line], to: "default", backend)
    #expect(try await backend.edits(of: "default").map { $0.author == nil } == [false])
  }

  @Test func undoAndMarkAreOfTheirRun() async throws {
    let backend = try await StoreHarness()
    let line = #"{"actions":["characters"],"location":0,"length":0,"changeInLength":1,"text":"a"}"#
    try await append([line], ["--author", "ann"], to: "doc", backend)
    var bench = Bench(backend)
    bench.session.isIdentified = true
    try await UndoCommand.parse(["doc", "--as", "bob"]).run(in: bench.session)
    try await MarkCommand.parse(["doc", "m", "--author", "cid"]).run(in: bench.session)
    #expect(try await backend.edits(of: "doc").map(\.author) == ["ann", "bob"])
    try await LogCommand.parse(["doc"]).run(in: bench.session)
    for words in ["session of editlog undo", "mark:m at 2 by cid"] {
      #expect(bench.printed.contains(words), "\(bench.printed)")
    }
  }
}
