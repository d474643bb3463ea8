import ArgumentParser
import EditJSON
import EditProtocol
import Testing

@testable import EditLogCommands

@Suite struct EndingTests {
  @Test(arguments: ProtocolError.Code.allCases)
  func protocolErrorsAreOneLine(code: ProtocolError.Code) {
    let ending = Ending(ProtocolError(code, "what is wrong,\nand what to do"))
    #expect(ending.exitCode == code.exitStatus)
    #expect(ending.exitCode != 0)
    #expect(ending.text == "editlog: what is wrong, and what to do")
  }

  @Test(arguments: [
    (["show"], Int32(64), "editlog: Missing expected argument '<name>'"),
    (["nonsense"], 64, "editlog: Unexpected argument 'nonsense'"),
    (["log", "x", "-n", "many"], 64, "editlog: The value 'many' is invalid"),
    (["documents", "--color", "blue"], 64, "editlog: The value 'blue' is invalid"),
    (["documents", "--socket", "a", "--store", "b"], 64, "editlog: --socket and --store exclude"),
    (["undo", "x", "--list", "--dry-run"], 64, "editlog: --list and --dry-run exclude"),
    (["trace", "x", "--min-length", "0"], 64, "editlog: --min-length takes a number from 1"),
    (["mark", "x", ""], 64, "editlog: A mark's label has 1 to 256 bytes"),
    (["--version"], 0, "0.1.0"),
    (["log", "--help"], 0, "OVERVIEW: List a document's edits"),
  ])
  func parserErrors(arguments: [String], exitCode: Int32, start: String) {
    let error = #expect(throws: (any Error).self) {
      // Help is asked for by parsing, and given by running.
      var command = try EditLogCommand.parseAsRoot(arguments)
      try command.run()
    }
    guard let error else { return }
    let ending = Ending(error)
    #expect(ending.exitCode == exitCode)
    #expect(ending.text.hasPrefix(start), "\(ending.text)")
  }

  @Test(arguments: [
    ([] as [Finding.Kind], true, 0 as Int32), ([.torn], true, 1), ([.torn, .repaired], true, 2),
    ([.damaged, .torn], false, 3), ([], false, 3), ([.lost], true, 3),
  ])
  func verifyHasStatusesOfItsOwn(
    kinds: [Finding.Kind], isSound: Bool, status: Int32
  ) async throws {
    let backend = CannedBackend(VerifyAnswer(kinds, isSound: isSound, editCount: 1234))
    let bench = Bench(backend)
    var ended: Int32 = 0
    do { try await VerifyCommand.parse([]).run(in: bench.session) } catch let code as ExitCode {
      ended = code.rawValue
    }
    #expect(ended == status)
    #expect(bench.printed.hasSuffix(": 3 documents, 1,234 edits, 0 events checked\n"))
  }

  @Test func verifyWithoutPermissionIsRefused() async throws {
    let bench = Bench(CannedBackend(failing: .notPermitted("not yours")))
    let error = await #expect(throws: CommandError.self) {
      try await VerifyCommand.parse([]).run(in: bench.session)
    }
    #expect(error?.exitCode == 4)
  }

  @Test func colours() {
    func decide(_ choice: ColorChoice, _ isTerminal: Bool, _ variables: [String: String]) -> Bool {
      Terminal.isColoured(choice, isTerminal: isTerminal) { variables[$0] }
    }
    #expect(decide(.auto, true, [:]))
    #expect(!decide(.auto, false, [:]))
    #expect(!decide(.auto, true, ["NO_COLOR": "1"]))
    #expect(!decide(.auto, true, ["TERM": "dumb"]))
    #expect(decide(.auto, false, ["CLICOLOR_FORCE": "1"]))
    #expect(!decide(.auto, false, ["CLICOLOR_FORCE": "0"]))
    #expect(decide(.always, false, ["NO_COLOR": "1"]))
    #expect(!decide(.never, true, ["CLICOLOR_FORCE": "1"]))
  }
}
