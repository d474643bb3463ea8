import ArgumentParser
import Testing

@testable import EditLogCommands

/// D25: the help of each verb states the defaults of its options.
@Suite struct HelpTests {
  /// Options that have no default, because nothing is done without them.
  private static let withoutDefault: Set = [
    "--head", "--heads", "--from", "--author", "--base", "--number", "--document",
    "--output", "--index", "--offset", "--line", "--paragraph", "--range", "--lines",
  ]

  @Test func `each option states its default`() throws {
    for verb in Self.verbs(of: EditLogCommand.self) {
      let help = EditLogCommand.helpMessage(for: verb, columns: 10_000)
      let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") && $0.contains(" <") }
      for option in options {
        let name = option.split { $0 == " " || $0 == "," }.first { $0.hasPrefix("--") }
        guard !Self.withoutDefault.contains(String(name ?? "")) else { continue }
        #expect(
          option.contains("default: ") || option.contains("(required)"), "\(verb): \(option)")
      }
    }
  }

  /// Lines of texts are joined without the spaces of the source, and none is wider than a terminal.
  @Test func `help has no gaps and no long lines`() throws {
    let others: [any ParsableCommand.Type] = [
      EditLogCommand.self, ImportCommand.self, ProjectCommand.self,
    ]
    for verb in Self.verbs(of: EditLogCommand.self) + others {
      let help = HelpText.wrapped(EditLogCommand.helpMessage(for: verb, columns: 80), width: 80)
      let usage = help.split(separator: "\n\n").filter { $0.hasPrefix("USAGE: ") }.joined()
      for line in usage.split(separator: "\n") {
        #expect(line.displayWidth <= 80, "\(verb): \(line)")
      }
      let discussion = verb.configuration.discussion
      #expect(!discussion.contains(/[a-z]+ [a-z]+ [a-z]+ {4,}[a-z]/), "\(verb)")
      // Text directly after a list would be a part of its last line.
      let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false)
      for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix(" ") {
        #expect(next.isEmpty || next.hasPrefix(" "), "\(verb): \(next)")
      }
      let isGiven = help.contains(Example.title)
      #expect(isGiven == (verb is any ExampleGiving.Type), "\(verb)")
    }
  }

  @Test func `the usage is wrapped between options`() {
    let usage = "a\nUSAGE: editlog x [--one <one>] [--two] --three <three> <name> ...\n\nb"
    #expect(
      HelpText.wrapped(usage, width: 32) == """
        a
        USAGE: editlog x [--one <one>]
                 [--two] --three <three>
                 <name> ...

        b
        """)
    #expect(HelpText.wrapped(usage, width: 80) == usage)
  }

  /// The argument parser puts the rest of such a line in the first column.
  @Test func `a line of a list goes on below its text`() {
    let list = """
      OVERVIEW: Keys of a list:

        h l    one step back,
      or on
        a key  and its text
               in two lines
        editlog verb NAME
      --option
              what it does, in more
      words than one line has

      OPTIONS:
        --one  text
      """
    #expect(
      HelpText.wrapped(list, width: 24) == """
        OVERVIEW: Keys of a list:

          h l    one step back,
                 or on
          a key  and its text
                 in two lines
          editlog verb NAME --option
                what it does, in
                more words than
                one line has

        OPTIONS:
          --one  text
        """)
    let script = "if true\n  then echo a\nfi"
    #expect(HelpText.wrapped(script, width: 8) == script)
  }

  private static func verbs(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let parts = type.configuration.subcommands
    return parts.isEmpty ? [type] : parts.flatMap(verbs)
  }
}
