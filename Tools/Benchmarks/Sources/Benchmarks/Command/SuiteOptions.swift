import ArgumentParser
import EditLogCommands
import Foundation

/// What every suite can be asked.
struct SuiteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trace files, in the format of josephg/editing-traces: a folder or one file.",
      valueName: "path"))
  var traces: String

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @Option(
    help: ArgumentHelp("Take these figures only, names between commas.", valueName: "names"))
  var only: String?

  @Flag(help: "Smoke run: the smallest trace, small documents, few samples.")
  var quick = false

  @Option(
    help: ArgumentHelp(
      "Plot cost against size, as SVG files in this folder. Without --only: take only what is plotted.",
      valueName: "folder"))
  var plots: String?

  @Option(
    help: ArgumentHelp(
      "UTF-16 units of the largest document in figures of cost against size, or edits of the longest history, 1000 to 100000000.",
      valueName: "count"))
  var largest = 10_000_000

  mutating func validate() throws {
    guard (1_000...100_000_000).contains(largest) else {
      throw ValidationError("--largest takes a number from 1000 to 100000000, not \(largest)")
    }
  }

  /// The figures to take.
  ///
  /// - Throws: `ValidationError` where a name is no figure's.
  func selection(of figures: [Figure]) throws -> [Figure] {
    guard let only else { return plots == nil ? figures : figures.filter(\.isPlotted) }
    let names = only.split(separator: ",").map(String.init)
    let known = figures.map(\.name)
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw ValidationError(
        "no figure is called '\(unknown)'; there are \(known.joined(separator: ", "))")
    }
    guard !names.isEmpty else { throw ValidationError("--only names no figure") }
    return figures.filter { names.contains($0.name) }
  }

  /// Takes the selected figures. Trouble with files is one line, and the exit code it has in
  /// `editlog`.
  func run(_ figures: [Figure]) throws {
    do {
      try Session(self).run(selection(of: figures))
    } catch let error as CommandError {
      FileHandle.standardError.write(Data("bench: \(error.message)\n".utf8))
      throw ExitCode(error.exitCode)
    }
  }
}
