import ArgumentParser
import Testing

@testable import EditLogCommands

/// The examples in the help of the verbs.
@Suite struct ExampleTests {
  /// All verbs without parts.
  private static let verbs = leaves(of: EditLogCommand.self)

  @Test func `each verb has examples, and its help ends with them`() throws {
    #expect(Self.verbs.count > 40)
    for verb in Self.verbs {
      let examples = (verb as? any ExampleGiving.Type)?.examples ?? []
      #expect(!examples.isEmpty, "\(verb)")
      let help = EditLogCommand.helpMessage(for: verb, columns: 10_000)
      let expected =
        [Example.title] + examples.flatMap { ["  " + $0.command, "        " + $0.meaning] }
      #expect(help.contains(expected.joined(separator: "\n")), "\(verb)")
      #expect(Set(examples.map(\.command)).count == examples.count, "\(verb)")
      for example in examples {
        #expect(!example.meaning.isEmpty && !example.meaning.hasSuffix("."))
      }
    }
  }

  /// Each example is a command line that the parser takes for the verb that it is of.
  @Test func `the parser takes each example`() throws {
    for verb in Self.verbs {
      for example in (verb as? any ExampleGiving.Type)?.examples ?? [] {
        let commands = Self.commands(example.command)
        #expect(!commands.isEmpty, "\(example.command)")
        var parsed: [String] = []
        for arguments in commands {
          do {
            let moved = LeadingOptions.moved(arguments)
            try UnknownVerb.check(moved)
            let command = try EditLogCommand.parse(words: moved)
            parsed.append("\(type(of: command))")
          } catch { Issue.record("\(example.command): \(Ending(error).text)") }
        }
        #expect(parsed.contains("\(verb)"), "\(example.command)")
      }
    }
  }

  @Test func `a wrong example is found`() {
    #expect(Self.commands("x | editlog log 'a b' -n 3 > f && editlog du").count == 2)
    #expect(
      Self.commands("x | editlog log 'a b' -n 3 > f && editlog du")[0] == ["log", "a b", "-n", "3"])
    #expect(
      Self.commands(#"editlog show "$(editlog scrub essay)""#) == [
        ["show", "…"], ["scrub", "essay"],
      ])
    #expect(throws: (any Error).self) {
      try EditLogCommand.parseAsRoot(["log", "essay", "--nonsense"])
    }
  }

  // MARK: Helpers

  private static func leaves(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let parts = type.configuration.subcommands
    return parts.isEmpty ? [type] : parts.flatMap(leaves)
  }

  /// The arguments of each `editlog` on a shell's command line, without redirections.
  private static func commands(_ line: String) -> [[String]] {
    var (line, inner) = (line, [[String]]())
    // What is between $( and ) is a command line of its own.
    while let open = line.firstRange(of: "$("), let close = line.lastIndex(of: ")") {
      inner += commands(String(line[open.upperBound..<close]))
      line.replaceSubrange(open.lowerBound...close, with: "…")
    }
    var commands: [[String]] = [[]]
    for word in words(line) {
      switch word {
      case "|", "&&", ";": commands.append([])
      default: commands[commands.count - 1].append(word)
      }
    }
    return commands.compactMap { words in
      guard words.first == "editlog" else { return nil }
      let end = words.firstIndex { [">", ">>", "<"].contains($0) } ?? words.count
      return Array(words[1..<end])
    } + inner
  }

  /// The words of a line, without quotes.
  private static func words(_ line: String) -> [String] {
    var (words, word, quote) = ([String](), String?.none, Character?.none)
    for character in line {
      switch character {
      case "'" where quote != "\"", "\"" where quote != "'":
        quote = quote == nil ? character : nil
        word = word ?? ""
      case " " where quote == nil:
        if let whole = word { words.append(whole) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
