import ArgumentParser
import EditJSON
import EditIngest
import EditProtocol
import Glibc
import Sandbox

/// The program: parses the arguments, runs the verb, and turns an error into one line and an exit
/// status.
public enum EditLogTool {
  /// Runs the command line of this process, and exits with the status of the verb.
  public nonisolated(nonsending) static func main() async -> Never { await main(project: nil) }

  /// As `main()`. `project` performs `project sqlite`; if it is nil, the program `editlog-project` does.
  package nonisolated(nonsending) static func main(project: ProjectionWriter?) async -> Never {
    CrashOutput.forbid()
    // If the reader of a pipe exits, the write fails with EPIPE, and no signal ends the process.
    signal(SIGPIPE, SIG_IGN)
    do {
      try checkArguments()
      let words = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))
      try UnknownVerb.check(words)
      var command = try EditLogCommand.parse(words: words)
      if let project, let command = command as? ProjectSQLiteCommand {
        try await command.run(project)
        exit(EXIT_SUCCESS)
      }
      switch command {
      case var command as any RestingCommand:
        try await withTaskExecutorPreference(WorkerThreads.shared) { try await command.run() }
      case var command as any AsyncParsableCommand: try await command.run()
      default:
        try command.run()
      }
      exit(EXIT_SUCCESS)
    } catch is BrokenPipe {
      endByBrokenPipe()
    } catch {
      var ending = Ending(error)
      if ending.exitCode == 0, BashCompletion.isAsked(CommandLine.arguments) {
        ending.text += BashCompletion.ending
      }
      exit(print(ending))
    }
  }

  /// Prints the last message. Returns the exit status.
  private static func print(_ ending: Ending) -> Int32 {
    let output = Output(descriptor: ending.exitCode == 0 ? STDOUT_FILENO : STDERR_FILENO)
    do {
      if !ending.text.isEmpty { try output.writeLine(ending.text) }
      try output.flush()
    } catch is BrokenPipe where ending.exitCode == 0 {
      endByBrokenPipe()
    } catch  where ending.exitCode == 0 {
      return print(Ending(error))
    } catch {
      // If the message cannot be written, the exit status still reports the failure.
    }
    return ending.exitCode
  }

  /// Refuses arguments that are not UTF-8: they would be read as other names.
  private static func checkArguments() throws(CommandError) {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let bytes = UnsafeBufferPointer(start: argument, count: strlen(argument))
      guard String(validating: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self) != nil else {
        throw .usage("argument \(index) is not UTF-8")
      }
    }
  }

  /// Ends as a program does that knows nothing of SIGPIPE: quietly, by the signal.
  private static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
  }
}

extension EditLogCommand {
  /// The verb that the words of a command line name, with its arguments.
  ///
  /// - Throws: as `parseAsRoot`.
  static func parse(words: [String]) throws -> any ParsableCommand {
    let words = NegativeValues.joined(SelectionOptions.completed(words))
    if let verb = configuration.subcommands.first(where: {
      $0.configuration.commandName == words.first
    }), let command = parse(words, for: verb) {
      return command
    }
    // The whole tree, for errors and help.
    return try parseAsRoot(words)
  }

  private static func parse<Verb: ParsableCommand>(
    _ words: [String], for verb: Verb.Type
  ) -> (any ParsableCommand)? {
    try? OneVerbCommand<Verb>.parseAsRoot(words)
  }
}

/// `editlog` with one verb. The argument parser reads the declarations of all verbs of a command before it parses
/// one, which takes a tenth of the time of a short `show`.
private struct OneVerbCommand<Verb: ParsableCommand>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: EditLogCommand.configuration.commandName, subcommands: [Verb.self])
  }
}

/// A verb that waits for a long time, and must not wake the processor meanwhile. It runs without the
/// threads of the Swift runtime.
protocol RestingCommand: AsyncParsableCommand {}

/// The last message and the exit status of a run.
struct Ending: Hashable, Sendable {
  let exitCode: Int32
  /// The text to print, on standard output if the status is 0, else on standard error.
  var text: String

  /// The ending for an error.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError: self.init(error.exitCode, error.message)
    case let error as ProtocolError: self.init(error.code.exitStatus, error.message)
    case let error as ShapeError:
      self.init(70, "the daemon's answer has an unexpected shape: \(error)")
    case is CancellationError: self.init(75, "interrupted")
    default: self.init(parser: error)
    }
  }

  private init(_ exitCode: Int32, _ message: String) {
    self.exitCode = exitCode
    // A message may hold line breaks; one line is printed.
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    text = "editlog: " + Excerpt.line(line, width: nil)
  }

  /// The endings of the argument parser: help, versions, usage, statuses.
  private init(parser error: any Error) {
    exitCode = EditLogCommand.exitCode(for: error).rawValue
    let message = EditLogCommand.fullMessage(for: error)
    // The message quotes arguments unchanged, and they may hold control characters.
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Excerpt.line(String($0), width: nil) }.joined(separator: "\n")
    let wrapped = HelpText.wrapped(lines, width: Terminal.width(STDOUT_FILENO) ?? 80)
    text = wrapped.hasPrefix("Error: ") ? "editlog: " + wrapped.dropFirst(7) : wrapped
  }
}
