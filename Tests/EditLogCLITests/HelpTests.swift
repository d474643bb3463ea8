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

  private static func verbs(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let parts = type.configuration.subcommands
    return parts.isEmpty ? [type] : parts.flatMap(verbs)
  }
}
