import ArgumentParser
import Testing

@testable import EditLogCommands

/// A letter of an option means the same in all verbs, as in journalctl and git.
@Suite struct LetterTests {
  /// The long options of each letter. Those of one letter mean the same.
  private static let meanings: [Character: Set<String>] = [
    "f": ["follow"], "g": ["grep"], "h": ["help"], "i": ["ignore-case"], "n": ["lines", "count"],
    "o": ["format"], "q": ["quiet"], "r": ["reverse"], "v": ["verbose"], "F": ["fixed"],
    "S": ["since"], "U": ["until"],
  ]

  @Test func `each letter has one meaning`() throws {
    var found: [Character: Set<String>] = [:]
    for verb in Self.verbs(of: EditLogCommand.self) {
      let help = EditLogCommand.helpMessage(for: verb, columns: 10_000)
      for line in help.split(separator: "\n") where line.hasPrefix("  -") {
        let words = line.split(whereSeparator: { " ,".contains($0) })
        guard let letter = words.first, letter.count == 2, let name = letter.last else { continue }
        let long = words.dropFirst().first { $0.hasPrefix("--") }
        found[name, default: []].insert(String(long?.dropFirst(2) ?? ""))
      }
    }
    #expect(found == Self.meanings)
  }

  private static func verbs(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let parts = type.configuration.subcommands
    return parts.isEmpty ? [type] : parts.flatMap(verbs)
  }
}
