import ArgumentParser
import Testing

@testable import EditLogCommands

/// Numbers below 0 in the arguments of verbs.
@Suite struct NegativeValueTests {
  @Test(arguments: [
    (["show", "a", "--step", "-3"], ["show", "a", "--step=-3"]),
    (["show", "a", "--step=-3", "-1"], ["show", "a", "--step=-3", "-1"]),
    (["show", "-3"], ["show", "-3"]), (["-3", "-4"], ["-3", "-4"]),
    (["log", "-r", "-3"], ["log", "-r", "-3"]),
    (["log", "--json", "-r"], ["log", "--json", "-r"]),
    (["x", "--width", "-", "--at", "-x"], ["x", "--width", "-", "--at", "-x"]),
    (["bisect", "a", "--", "f", "--n", "-3"], ["bisect", "a", "--", "f", "--n", "-3"]),
    (["--a", "-1", "-2", "--b", "-3"], ["--a=-1", "-2", "--b=-3"]), ([], []),
  ])
  func numbersAreJoinedToTheirOptions(words: [String], joined: [String]) {
    #expect(NegativeValues.joined(words) == joined)
  }

  /// The message says what is allowed, not that the value is missing.
  @Test(arguments: [
    ["inspect", "a", "--offset", "-1"], ["append", "a", "--base", "-1"],
    ["repro", "a", "--around", "1", "--before", "-1"], ["activity", "--days", "-1"],
    ["undo", "a", "--to", "-1"], ["undo", "a", "--step", "-1"], ["render", "a", "--width", "-5"],
    ["render", "a", "--max-rows", "-5"],
    ["bisect", "a", "--from", "0", "--skips", "-1", "--", "x"],
    ["log", "a", "--number", "-1"],
  ])
  func theyAreReadAsValues(words: [String]) {
    #expect {
      _ = try EditLogCommand.parse(words: words)
    } throws: { error in
      let message = EditLogCommand.message(for: error)
      #expect(!message.isEmpty && !message.lowercased().contains("missing"), "\(message)")
      return true
    }
  }

  @Test func aStepMayBeNegative() throws {
    for words in [["--step", "-3"], ["--step=-3"]] {
      let command = try EditLogCommand.parse(words: ["show", "a"] + words) as? ShowCommand
      #expect(command?.steps.step == -3)
    }
  }
}
