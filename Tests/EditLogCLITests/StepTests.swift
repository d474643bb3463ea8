import ArgumentParser
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `--step` and `--by`.
@Suite struct StepTests {
  /// Three lines, each typed by single units.
  private func harness() async throws -> StoreHarness {
    let store = try await StoreHarness()
    let document = try #require(DocumentID("a"))
    var place = 0
    for line in ["one\n", "two\n", "six"] {
      let edits = line.utf16.enumerated().map { offset, unit in
        AppendEdit(
          action: EditAction(
            replacing: UTF16Range(place + offset..<place + offset),
            with: UTF16Text(units: [unit])))
      }
      _ = try await store.perform(
        AppendRequest(document: document, origin: .typing, edits: edits))
      place += edits.count
    }
    return store
  }

  @Test(arguments: [
    (["--step", "-1"], "one\ntwo\nsi"), (["--step", "-3", "--by", "edit"], "one\ntwo\n"),
    (["--at", "2", "--step", "1"], "one"), (["--at", "8", "--step", "-2"], "one\ntw"),
    (["--at", "4", "--step", "1", "--by", "paragraph"], "one\ntwo"),
    (["--step", "-1", "--by", "paragraph"], "one\ntwo\n"),
    (["--step", "0", "--by", "undo"], "one\ntwo\nsix"),
  ])
  func showStepsFromAPoint(arguments: [String], text: String) async throws {
    let bench = Bench(try await harness())
    let command = try #require(
      try EditLogCommand.parse(words: ["show", "a"] + arguments) as? ShowCommand)
    try await command.run(in: bench.session)
    #expect(bench.printed == text)
    #expect(bench.noted == "")
  }

  @Test func stepsBeyondTheHistoryEndThereAndSaySo() async throws {
    let bench = Bench(try await harness())
    for arguments in [["--step", "-100"], ["--by", "save", "--step", "2"]] {
      let command = try #require(
        try EditLogCommand.parse(words: ["show", "a"] + arguments) as? ShowCommand)
      try await command.run(in: bench.session)
    }
    #expect(bench.printed == "one\ntwo\nsix")
    #expect(
      bench.noted == """
        there is nothing before: 11 of 100 steps, to version 0
        there is nothing after: 0 of 2 steps, to version 11

        """)
  }

  @Test(arguments: ["99999999999999w", "15251w"])
  func durationsBeyondTheRangeOfTimesAreRefused(duration: String) throws {
    let error = #expect(throws: (any Error).self) {
      try EditLogCommand.parse(words: ["show", "a", "--step", "-1", "--by", duration])
    }
    let text = Ending(try #require(error)).text
    #expect(text.contains("--by takes a duration of at most 292 years"), "\(text)")
    _ = try EditLogCommand.parse(words: ["show", "a", "--step", "-1", "--by", "15250w"])
  }

  @Test(arguments: [
    ["--by", "undo"], ["--step", "1", "--by", "word"], ["--step", "x"],
    ["--step", "9999999999"],
  ])
  func strangeStepsAreRefused(arguments: [String]) {
    #expect(throws: (any Error).self) {
      try EditLogCommand.parse(words: ["show", "a"] + arguments)
    }
  }
}
