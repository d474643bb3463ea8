import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct BisectCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the first version for which a command fails, and the edit that made it.",
    usage: "editlog bisect <name> --from <point> [<options>] -- <command> [<argument> ...]",
    discussion: withExamples(
      """
      Runs COMMAND for versions between --from, for which it must succeed, and --to, for which it must \
      fail, each time in the middle of what is left: about 20 runs for a million edits.

      The text of the version is the standard input of the command, and is in a private temporary file \
      with the extension of the document. An argument {} is replaced by the path of this file. The \
      environment has EDITLOG_FILE (the path), EDITLOG_SEQUENCE (the version) and EDITLOG_DOCUMENT (the \
      name). Standard output and standard error of the command go to standard error.

      The exit status of the command decides, as in `git bisect run`: 0 the version is good; 1 to 124 it is \
      bad; 125 it cannot be tested, so another one is tried; 126 and more, or a signal, end the search. A \
      run that takes longer than --run-timeout is bad, and all its processes are ended.

      --verified checks the chain up to --to once, before the first run.

      Exit status: 0 found, 1 all versions left were skipped, 65 the command fails for --from or succeeds \
      for --to, 69 the command cannot be run.
      """))

  static var jsonLines: [JSONLine] { [.init("the result", BisectReport.codec)] }

  static let examples = [
    Example(
      "editlog bisect essay --from 0 -- sh -c '! grep -q draft'",
      "the edit that brought the word draft into the text"),
    Example(
      "editlog bisect main.tex --from mark:draft --by save -- latexmk -pdf {}",
      "the save since which the file does not compile"),
    Example(
      "editlog bisect data.json --from save:1 -- jq empty",
      "the edit that made the JSON invalid"),
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The command and its arguments, after --.", valueName: "command"))
  var command: [String] = []
  @Option(
    help: ArgumentHelp("A version for which the command succeeds. (required)", valueName: "point"),
    completion: .points)
  var from: String
  @Option(
    help: ArgumentHelp("A later version for which it fails.", valueName: "point"),
    completion: .points)
  var to = "latest"
  @Option(
    help: ArgumentHelp(
      "Try only the versions at the ends of these steps: \(StepUnit.grammar). `step` is undo. (default: edit)",
      valueName: "unit"),
    completion: .list(StepUnit.samples + ["step"]))
  var by: String?
  @Option(
    help: ArgumentHelp(
      "End a run after this time, and count it as bad. (default: none)", valueName: "time"),
    transform: ShortDuration.init(argument:))
  var runTimeout: ShortDuration?
  @Option(
    help: ArgumentHelp(
      "Give up after this number of versions that were skipped in a row.", valueName: "count"))
  var skips = 100
  @Flag(name: .shortAndLong, help: "Discard what the command prints.") var quiet = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !command.isEmpty, command.first != "" else {
      throw ValidationError("Give a command after --, such as: -- grep -q word")
    }
    guard by.map({ Self.unit($0) != nil }) ?? true else {
      throw ValidationError("--by takes \(StepUnit.grammar).")
    }
    guard (1...1_000_000).contains(skips) else {
      throw ValidationError("--skips takes a number from 1 to 1000000.")
    }
    if let runTimeout, runTimeout.nanoseconds < 1 {
      throw ValidationError("--run-timeout takes a duration of at least 1ns, such as 10s or 500ms.")
    }
  }

  /// A unit by its name. `step` is an undo step.
  private static func unit(_ name: String) -> StepUnit? {
    name == "step" ? .undoStep : StepUnit(name)
  }

  func run() async throws {
    TrialSignals.arm()
    try await Session.run(common, isPaged: isPaged, openBackend) { try await run(in: $0) }
  }

  func run(in session: Session) async throws {
    let good = try await session.sequence(at: from, of: name, reading)
    let bad = try await session.sequence(at: to, of: name, reading)
    try await session.noteVersion(of: from, good, name, reading)
    guard var search = Bisection(good: good, bad: bad) else {
      throw CommandError.usage(
        "--from is version \(good), --to version \(bad); --from must be before --to")
    }
    try await checkChain(through: bad, session)
    var tries = BisectTries(lastVersion: bad)
    try await checkEnds(search, &tries, session)
    let candidates = candidates(session)
    while search.skippedInARow < skips, let version = try await search.next(candidates) {
      search.note(try await verdict(on: version, &tries, session), at: version)
      tries.noteLast(left: search.bad - search.good, session)
    }
    let isFound = search.skipped.isEmpty
    let result = BisectResult(search: search, tries: tries, isFound: isFound)
    try await print(result, session)
    if !isFound { throw ExitCode(1) }
  }

  /// If the options ask for it, checks the chain of all versions that may be tried, once, so that a
  /// run need not.
  private func checkChain(through last: SequenceNumber, _ session: Session) async throws {
    guard reading.isVerified else { return }
    _ = try await session.ask(name, reading) {
      StateRequest($0, VersionPart(at: .sequence(last), limit: 1))
    }
  }

  /// Checks that the first version is good and the last one bad.
  private func checkEnds(
    _ search: Bisection, _ tries: inout BisectTries, _ session: Session
  ) async throws {
    for (version, option, wanted) in [
      (search.good, "--from", Bisection.Verdict.good), (search.bad, "--to", .bad),
    ] {
      let found = try await verdict(on: version, &tries, session)
      tries.noteLast(left: nil, session)
      guard found != wanted else { continue }
      let problem =
        switch found {
        case .skipped: "cannot test (status 125)"
        case .good: "succeeds for"
        case .bad: "fails for"
        }
      let remedy =
        wanted == .good
        ? "succeed there: give a version that is good" : "fail there: give a version that is bad"
      throw CommandError.data(
        """
        the command \(problem) version \(version), which \(option) names, and it must \(remedy), \
        or look at the text with `editlog show \
        \(session.documents[name]?.argument.shown ?? name.shown) --at \(version)`
        """)
    }
  }

  /// Runs the command for a version.
  ///
  /// - Throws: `CommandError` (69) if the search cannot go on.
  private func verdict(
    on version: SequenceNumber, _ tries: inout BisectTries, _ session: Session
  ) async throws -> Bisection.Verdict {
    var part = try await session.ask(name, reading.unverified) {
      StateRequest($0, VersionPart(at: .sequence(version), limit: ShowCommand.partLength))
    }
    let (document, time) = (part.document, part.time)
    let file = try VersionFile(extension: VersionFile.suffix(of: document))
    try file.write(part.text)
    while let next = part.next {
      part = try await session.ask(name, reading.unverified) {
        StateRequest(
          $0,
          VersionPart(at: .sequence(version), offset: next, limit: ShowCommand.partLength))
      }
      try file.write(part.text)
    }
    let trial = Trial(command: command, timeout: runTimeout?.nanoseconds, isQuiet: quiet)
    let ending = try await trial.run(on: file, of: document, at: version)
    guard let verdict = ending.verdict else {
      throw CommandError.unavailable(
        """
        the command \(ending.reason) for version \(version), so the search ends; 0 is good, 1 to 124 \
        bad, 125 skips a version
        """)
    }
    tries.append(.init(version: version, time: time, verdict: verdict, ending: ending))
    return verdict
  }

  /// The versions that may be tried.
  private func candidates(_ session: Session) -> Bisection.Candidates {
    guard let unit = by.flatMap({ Self.unit($0) }), unit != .edit else { return .allVersions }
    func step(_ count: Int, from version: SequenceNumber) async throws -> SequenceNumber? {
      let answer = try await session.ask(name, reading.unverified) {
        VersionRequest($0, at: .sequence(version), step: count, by: unit)
      }
      return answer.stepCount == 0 ? nil : answer.sequence
    }
    return Bisection.Candidates(
      after: { try await step(1, from: $0) }, before: { try await step(-1, from: $0) })
  }
}

extension Trial.Ending {
  /// What the run says of the version; nil if the search cannot go on.
  fileprivate var verdict: Bisection.Verdict? {
    switch self {
    case .exited(0): .good
    case .exited(125): .skipped
    case .exited(1...124), .tookTooLong: .bad
    case .exited, .signaled: nil
    }
  }

  /// `ended with status 127 (no such command)`.
  fileprivate var reason: String {
    switch self {
    case .exited(126): "ended with status 126 (it cannot be executed)"
    case .exited(127): "ended with status 127 (there is no such command)"
    case .exited(let code): "ended with status \(code)"
    case .signaled(let number): "was ended by signal \(number)"
    case .tookTooLong: "took longer than --run-timeout"
    }
  }
}
