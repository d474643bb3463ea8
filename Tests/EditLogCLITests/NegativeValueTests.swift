import ArgumentParser
import EditJSON
import EditProtocol
import Testing

@testable import EditLogCommands

/// Numbers below 0 in the arguments of verbs.
@Suite struct NegativeValueTests {
  @Test(arguments: [
    (["show", "a", "--step", "-3"], ["show", "a", "--step=-3"]),
    (["show", "a", "--step=-3", "-1"], ["show", "a", "--step=-3", "-1"]),
    (["show", "-3"], ["show", "-3"]), (["-3", "-4"], ["-3", "-4"]),
    (["log", "-r", "-3"], ["log", "-r", "-n=3"]),
    (["log", "--json", "-3"], ["log", "--json", "-n=3"]),
    (["log", "-3x"], ["log", "-3x"]), (["log", "-n", "-3"], ["log", "-n=-3"]),
    (["log", "-S", "-1h", "a"], ["log", "-S=-1h", "a"]),
    (["undo", "--", "-3"], ["undo", "--", "-3"]),
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

  /// As with git, tail and journalctl.
  @Test(arguments: [["-n3"], ["-n", "3"], ["-n=3"], ["-3"], ["--lines", "3"], ["--lines=3"]])
  func `a count may be joined to its option, or stand alone`(words: [String]) throws {
    for all in [["log", "a"] + words, ["log"] + words + ["a"], ["log", "-r"] + words + ["a"]] {
      let command = try EditLogCommand.parse(words: all) as? LogCommand
      #expect(command?.count == 3 && command?.name == "a", "\(all)")
    }
  }

  @Test func `short options take joined values`() throws {
    let words = ["log", "a", "-S-1h", "-Unow", "-ojson", "-gfish", "-vr"]
    let command = try EditLogCommand.parse(words: words) as? LogCommand
    #expect(command?.since == "-1h" && command?.until == "now" && command?.pattern == "fish")
    #expect(command?.format == .json && command?.verbose == true && command?.reverse == true)
  }

  /// The message names the option that was typed.
  @Test(arguments: [
    (["log", "a", "-n", "-5"], "-n"), (["log", "a", "--lines", "-5"], "--lines"),
    (["log", "a", "-nx"], "-n"), (["undo", "a", "--count", "0"], "--count"),
    (["undo", "a", "-n0"], "-n"), (["history", "a", "--lines", "1,1", "--count", "-1"], "--count"),
    (["marks", "a", "--count", "-1"], "--count"),
  ])
  func `errors name the option`(words: [String], option: String) {
    #expect {
      _ = try EditLogCommand.parse(words: words)
    } throws: { error in
      let message = EditLogCommand.message(for: error)
      #expect(message.contains(option), "\(message)")
      return true
    }
  }

  @Test func aStepMayBeNegative() throws {
    for words in [["--step", "-3"], ["--step=-3"]] {
      let command = try EditLogCommand.parse(words: ["show", "a"] + words) as? ShowCommand
      #expect(command?.steps.step == -3)
    }
  }

  /// The lists of `NegativeValues` are those of the verbs' real options.
  @Test func `the lists have every option of the verbs`() throws {
    var (shortValued, counted, flags) = (Set<String>(), Set<String>(), Set<String>())
    let help = try JSON.parse(Array(EditLogCommand._dumpHelp().utf8))
    for verb in try array(help["command"], "subcommands") {
      let options = try options(of: verb)
      for option in options where !option.isFlag { shortValued.formUnion(option.short) }
      guard options.contains(where: { $0.short.contains("-n") }) else { continue }
      counted.insert(try verb.asObject().string("commandName"))
      for option in options where option.isFlag { flags.formUnion(option.long) }
    }
    flags.subtract(["--help", "--version"])
    flags.subtract(LeadingOptions.flags)
    #expect(NegativeValues.shortValued == shortValued)
    #expect(NegativeValues.counted == counted)
    #expect(NegativeValues.flags == flags)
  }

  /// The options of a verb and of the verbs in it.
  private func options(
    of verb: JSON
  ) throws -> [(isFlag: Bool, short: Set<String>, long: Set<String>)] {
    let own = try array(verb, "arguments").filter { $0["kind"] != "positional" }.map { option in
      let names = try array(option, "names").map { try $0.asObject() }
      let short = try names.filter { $0["kind"] == "short" }.map { "-\(try $0.string("name"))" }
      let long = try names.filter { $0["kind"] == "long" }.map { "--\(try $0.string("name"))" }
      return (option["kind"] == "flag", Set(short), Set(long))
    }
    return try own + array(verb, "subcommands").flatMap(options)
  }

  private func array(_ object: JSON?, _ name: String) throws -> [JSON] {
    try object?[name]?.asArray() ?? []
  }
}
