import ArgumentParser
import Dispatch
import EditClient
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Scrubbing
import Synchronization

struct ScrubCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "scrub",
    abstract: "Move through a document's history on the whole screen: play, step, search, restore.",
    discussion: withExamples(
      """
      Sideways is time, up and down is text. The text is shown as it stood, with what the step changed; \
      below it, the activity of the whole history, with idle time cut out. The keys are those of vim and \
      less where these have one:

        h l       one undo step back, on; , and . one edit
        space     play and pause; + and - change the speed
        s S       the next save, the one before; } { session; ] [ mark; ) ( change of a paragraph
        :         go to any POINT: 1234, 15:04 yesterday, 10m ago, mark:draft, save:-1; 50% works too
        /         search all text that ever existed; n and N go through the matches, the deleted \
      ones as they were before they were deleted; \
      a pattern without capital letters ignores case, unless it begins with (?-i)
        Enter     the edit that wrote this line; Backspace leads back
        d m       show deleted text, since the step before or since the anchor m
        b u p a   writers; undo steps; only versions of this paragraph; only steps of an author
        T         who wrote, in the timeline; p adds when its paragraph changed
        v         select lines, to restore or copy them
        r         restore this version, this paragraph or the selection: shows the diff and asks; \
      w instead of y also writes the document's file, if no editor has it open
        M w y     name this version, write it to a file, copy the paragraph or the selection
        F         follow what is logged: screens on one document then show the same text, each at its width
        ?         all keys

      Escape cancels a search or another long request, and q quits. While the daemon is unreachable, the screen \
      says so, and keys that need it do nothing.

      The mouse scrolls, and clicks and drags on the timeline. Quitting changes nothing, and prints \
      DOCUMENT@VERSION on standard output. From 120 columns on, the undo steps are beside the text; below \
      60 columns or 12 rows, there is the text and one line.

      Characters of the document that could control the terminal are shown as pictures, never sent. With \
      NO_COLOR or --color never, changes have signs: {+added+}, [-deleted-].

      --plain, or TERM=dumb, prints one line for each move instead of drawing, for screen readers and \
      pipes: each line of standard input is some keys, for example `l`, `20.`, `:10m ago` or `/word`.
      """))

  static let examples = [
    Example("editlog scrub essay", "begin at the newest version"),
    Example("editlog scrub essay --at '15:04 yesterday'", "begin at a time"),
    Example(
      "printf 'l\\nl\\n' | editlog scrub essay --at 0 --plain",
      "two steps on, without a screen"),
    Example("editlog show \"$(editlog scrub essay)\"", "print the version at which you quit"),
  ]

  static var jsonLines: [JSONLine] { [] }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to begin with. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @Flag(help: "Print one line for each move; the keys are lines of standard input.")
  var plain = false
  @Flag(help: "Leave the mouse to the terminal.") var noMouse = false
  @OptionGroup var author: AuthorOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !common.json else {
      throw ValidationError(
        "scrub draws a screen, and prints no JSON; `log --json` and `show --json` print a history.")
    }
  }

  func run(in session: Session) async throws {
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    let first = try await session.ask(name, reading) { VersionRequest($0, at: point) }
    let latest = try await session.ask(name, reading) { VersionRequest($0) }.sequence
    guard let document = session.documents[name] else { return }
    let isPlain = plain || Terminal.environment("TERM") == "dumb"
    let options = ScrubOptions(
      isColoured: Terminal.isColoured(common.color, isTerminal: true),
      isUnicode: !Self.hasWideLines(Terminal.environment), canFollow: session.backend.socket != nil)
    let argument = document.argument.shown
    let version = first.sequence
    @Sendable func state(_ size: ScrubSize) -> ScrubState {
      ScrubState(
        name: argument, at: version, latest: latest, size: size, options: options,
        clock: ScrubClock(
          now: { SystemTime.now }, day: session.localDay,
          time: { session.localClock($0, hasSeconds: true) }))
    }
    let inbox = try ScrubInbox()
    let runner = ScrubRunner(
      name, session.quiet(on: session.backend), common.location(), author, reading,
      common.terms.quiet)
    let work = ScrubWork(inbox: inbox) { await runner.perform($0) }
    let following = session.backend.socket.map { socket in
      Task {
        await ScrubFollowing(
          document: document, socket: socket, latest: latest, inbox: inbox, silence: session.silence
        ).run()
      }
    }
    defer { following?.cancel() }
    let last =
      isPlain
      ? try await runPlain(state(ScrubSize(columns: 80, rows: 24)), inbox, runner, session)
      : try await runScreen(state, inbox, work)
    // Without a daemon this process makes the changes, so it must not end before they are done.
    await work.close(waitsForChanges: session.backend.socket == nil)
    await runner.close()
    try session.output.writeLine("\(argument)@\(last.goal)")
  }

  /// True if the terminal probably shows lines and bars on two cells, as fonts of East Asia do.
  static func hasWideLines(_ environment: (String) -> String?) -> Bool {
    let locale = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? ""
    return ["ja", "ko", "zh"].contains { locale.hasPrefix($0) }
  }

  private func runPlain(
    _ state: ScrubState, _ inbox: ScrubInbox, _ runner: ScrubRunner, _ session: Session
  ) async throws -> ScrubState {
    let plain = PlainScrub(inbox: inbox, perform: { await runner.perform($0) }) { line in
      try session.output.writeLine(line)
      try session.output.flush()
    }
    return try await plain.run(state, lines: LineReader(descriptor: STDIN_FILENO, sizeMax: 4_096))
  }

  /// Runs the screen on a thread of its own, which waits for keys. If a signal ends it, it ends the process
  /// as that signal does.
  private func runScreen(
    _ makeState: @escaping @Sendable (ScrubSize) -> ScrubState, _ inbox: ScrubInbox,
    _ work: ScrubWork
  ) async throws -> ScrubState {
    let isColoured = Terminal.isColoured(common.color, isTerminal: true)
    let usesMouse = !noMouse
    SilenceLimits.areNotesHeld.store(true, ordering: .relaxed)
    defer { SilenceLimits.areNotesHeld.store(false, ordering: .relaxed) }
    let ended: Result<(state: ScrubState, signal: Int32?), CommandError> =
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            returning: Self.onScreen(makeState, inbox, work, isColoured, usesMouse))
        }
      }
    let (state, number) = try ended.get()
    if let number {
      signal(number, SIG_DFL)
      kill(getpid(), number)
      throw ExitCode(128 + number)
    }
    return state
  }

  private static func onScreen(
    _ makeState: (ScrubSize) -> ScrubState, _ inbox: ScrubInbox, _ work: ScrubWork,
    _ isColoured: Bool, _ usesMouse: Bool
  ) -> Result<(state: ScrubState, signal: Int32?), CommandError> {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    if terminal >= 0 { TerminalSignals.save(terminal) }
    defer { if terminal >= 0 { Glibc.close(terminal) } }
    do throws(CommandError) {
      let screen = try TerminalScreen(isColoured: isColoured, usesMouse: usesMouse)
      TerminalSignals.arm(inbox.writeEnd)
      let loop = ScrubScreenLoop(screen: screen, inbox: inbox, work: work)
      let ended = loop.run(makeState(screen.readSize()))
      screen.close()
      TerminalSignals.disarm()
      return .success(ended)
    } catch { return .failure(error) }
  }
}
