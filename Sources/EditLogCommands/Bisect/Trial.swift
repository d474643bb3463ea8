import EditModel
import Glibc
import Subprocess
import SystemPackage

/// A command that is run for versions of a document.
///
/// Its standard input is a file with the text, not a pipe, so it need not read it. What it prints goes
/// to standard error.
struct Trial: Sendable {
  /// The program and its arguments. `{}` stands for the path of the file.
  let command: [String]
  /// The maximum duration of a run, in nanoseconds; nil for any.
  let timeout: Int64?
  /// True if what the command prints is discarded.
  let isQuiet: Bool

  /// How a run ended.
  enum Ending: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    case tookTooLong
  }

  /// Runs the command for a version.
  ///
  /// - Throws: `CommandError` (69) if it cannot be run.
  func run(
    on file: VersionFile, of document: DocumentID, at sequence: SequenceNumber
  ) async throws -> Ending {
    var environment: [Environment.Key: String?] = [:]
    environment["EDITLOG_FILE"] = file.path
    environment["EDITLOG_SEQUENCE"] = "\(sequence)"
    environment["EDITLOG_DOCUMENT"] = document.name
    let arguments = command.map { $0 == "{}" ? file.path : $0 }
    let (program, rest) = (arguments.first ?? "", Array(arguments.dropFirst()))
    var options = PlatformOptions()
    // With a time limit, all processes of the command are ended.
    if timeout != nil { options.processGroupID = 0 }
    options.teardownSequence = [
      .send(
        signal: .terminate, toProcessGroup: timeout != nil,
        allowedDurationToNextStep: .milliseconds(500))
    ]
    let configuration = Configuration(
      executable: program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(rest), environment: .inherit.updating(environment),
      platformOptions: options)
    let input = try file.open()
    do {
      return try await ending(of: configuration, input)
    } catch let error as SubprocessError {
      throw CommandError.unavailable("cannot run \(program.shown): \(error)")
    }
  }

  private func ending(of configuration: Configuration, _ input: Int32) async throws -> Ending {
    guard let timeout else { return try await end(of: configuration, input) }
    return try await withThrowingTaskGroup(of: Ending.self) { group in
      group.addTask { try await end(of: configuration, input) }
      group.addTask {
        try await Task.sleep(for: .nanoseconds(timeout))
        return .tookTooLong
      }
      defer { group.cancelAll() }
      return try await group.next() ?? .tookTooLong
    }
  }

  private func end(of configuration: Configuration, _ input: Int32) async throws -> Ending {
    defer { TrialSignals.note(process: 0) }
    let (isGroup, input) = (timeout != nil, FileDescriptor(rawValue: input))
    let status: TerminationStatus
    if isQuiet {
      status = try await Subprocess.run(
        configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
        output: .discarded, error: .discarded
      ) { Self.note($0.processIdentifier.value, isGroup) }.terminationStatus
    } else {
      status = try await Subprocess.run(
        configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
        output: .currentStandardError, error: .currentStandardError
      ) { Self.note($0.processIdentifier.value, isGroup) }.terminationStatus
    }
    switch status {
    case .exited(let code): return .exited(code)
    case .signaled(let number):
      await TrialSignals.waitForEnd()
      return .signaled(number)
    }
  }

  private static func note(_ process: pid_t, _ isGroup: Bool) {
    TrialSignals.note(process: isGroup ? -process : process)
  }
}
