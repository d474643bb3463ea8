package import ArgumentParser

/// An example in the help of a verb: a command line, and what it does.
package struct Example: Hashable, Sendable {
  /// The command line, as it is typed.
  package let command: String
  /// What it does or shows.
  package let meaning: String

  init(_ command: String, _ meaning: String) { (self.command, self.meaning) = (command, meaning) }

  /// The title of the examples in a help text. `Tools/man` looks for it.
  static let title = "EXAMPLES:"
}

/// A verb whose help ends with examples.
package protocol ExampleGiving: ParsableCommand {
  /// The examples, the most useful first.
  static var examples: [Example] { get }
}

extension ExampleGiving {
  /// A discussion with the examples after it.
  static func withExamples(_ text: String = "") -> String {
    let lines = examples.map { "  \($0.command)\n        \($0.meaning)" }
    return (text.isEmpty ? "" : text + "\n\n") + Example.title + "\n"
      + lines.joined(separator: "\n")
  }
}
