import ArgumentParser
import EditClient
import EditIngest
import EditModel
import EditProtocol
import FileWatch
import Glibc

struct WatchCommand: RestingCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Log each save of files and folders, whatever program saves them.",
    discussion: withExamples(
      """
      Follows each PATH, a file or a folder with all in it, and sends to the daemon the difference \
      that each save makes, as edits of origin external. At the start, all files are compared with \
      the log: a file that is not in it begins with its present text. Runs until SIGINT or SIGTERM.

      Each read that changes the log is a save (`save:N`). A file that is renamed onto its name, as by \
      `sed -i`, is read at once, and one that is written in place once it has not changed for 0.1 s: \
      a save that the next one replaces before it is read is not seen. One that becomes empty is read 2 s later. \
      A new file begins once it has not changed for 3 s (30 s at most): a temporary file that is renamed onto \
      another meanwhile is not logged.

      While an editor that reports its edits (`editlog lsp`) has a file open, the file is left alone; \
      it is compared again when it is closed there. If the daemon is away, or does not answer for --timeout seconds, `watch` waits for it, and \
      then compares all files; of several saves meanwhile, the last is logged.

      Not watched: what a .gitignore says (those of the folders above too, up to the repository's, \
      .git/info/exclude, of a worktree or submodule too, and in working trees the file that your git's \
      core.excludesFile names, by default ~/.config/git/ignore), also files that git tracks \
      nevertheless; .git; the files that editors make beside a file (*~, .*.sw?, .#*, #*#, 4913), unless a .gitignore has a line such as !*~ for them; symbolic \
      links in folders, to files and to folders (a PATH that is a link, or leads through links, is followed, also when they are replaced); binary files (NUL in the first 8,000 bytes); files that are neither UTF-8, nor have a byte order mark of \
      UTF-16, nor are in --encoding; files above \
      --max-size; the daemon's store. Hidden files are watched. A PATH itself is never ignored. \
      PATTERN is a pattern of .gitignore, relative to each PATH: `*.md`, `/drafts/`, `**/log/*.txt`.

      The document of a file that is deleted stays. That of a renamed file gets the new name, unless \
      an editor has it open, or the new name has a document already. A program that writes through a memory map, or on another machine (NFS), is not noticed until \
      the file is closed or the next start.
      """))

  static let examples = [
    Example(
      "editlog watch ~/notes --include '*.md' --exclude drafts/",
      "log the saves of some files of a folder, until Ctrl-C"),
    Example("editlog watch --once ~/notes", "log what changed since the last time, and end"),
  ]

  @Argument(help: "Files and folders.", completion: .file()) var paths: [String]
  @Option(
    help: ArgumentHelp(
      "Log only files that match; may be repeated. (default: all)", valueName: "pattern"))
  var include: [String] = []
  @Option(
    help: ArgumentHelp(
      "Log no files that match; may be repeated. (default: none)", valueName: "pattern"))
  var exclude: [String] = []
  @Option(
    help: ArgumentHelp(
      "Skip larger files: bytes, or with K or M. At most 64M. (default: 16M)", valueName: "size"))
  var maxSize = FileSize(bytes: 16 << 20)
  @Option(
    help: ArgumentHelp(
      """
      Encoding of files that are not UTF-8 and have no byte order mark, such as windows-1252, \
      ISO-8859-1, UTF-16LE, Shift_JIS or GB18030. (default: none; they are skipped)
      """, valueName: "name"))
  var encoding: TextEncoding?
  @Flag(help: "Compare all files once, and end.") var once = false
  @Flag(
    name: .shortAndLong, help: "Print a line for each save that is logged, or for several at once.")
  var verbose = false
  @OptionGroup var author: AuthorOption
  @Option(
    help: ArgumentHelp(
      "The daemon's socket. (default: \(StandardPlaces.socketDefault))", valueName: "path"),
    completion: .file())
  var socket: String?

  @OptionGroup var waiting: TimeoutOption

  func run() async throws {
    let roots = try paths.map(Self.root)
    let places = StandardPlaces(environment: Terminal.environment)
    var options = FileFollower.Options(
      socket: socket ?? places.socket, spools: places.spool, sizeMax: maxSize.bytes, isOnce: once,
      isVerbose: verbose)
    options.encoding = encoding
    options.store = NamedStore()
    options.silence = waiting.silence
    options.identity = try ClientIdentity.run(
      of: "watch", author: try Author().resolved(author.name))
    let excludesFile = try Git.excludesFile()
    let watcher: FileWatcher
    do {
      watcher = try FileWatcher(
        roots: roots, WatchFilter(included: include, excluded: exclude), excludesFile: excludesFile)
    } catch { throw CommandError.io("cannot watch files: \(error)") }
    let diagnostics = Output(descriptor: STDERR_FILENO)
    let follower = FileFollower(options, watcher) { line in
      // If standard error cannot be written, there is no other place to report to.
      try? diagnostics.writeLine("editlog watch: \(Excerpt.line(line, width: nil))")
      try? diagnostics.flush()
    }
    let task = Task(executorPreference: WorkerThreads.shared) {
      var follower = follower
      try await follower.run()
    }
    let signals = StopSignals(interrupt: true) { task.cancel() }
    defer { withExtendedLifetime(signals) {} }
    do { try await task.value } catch is CancellationError {}
  }

  /// The absolute path of an argument.
  ///
  /// - Throws: `CommandError` (66) if there is no such file or folder.
  static func root(_ argument: String) throws(CommandError) -> String {
    let path = FileURI.absolute(argument, in: DocumentArgument.workingDirectory)
    guard FileKind(path, followingLink: true) != nil else {
      throw .notFound("there is no file or folder \(path.shown)")
    }
    return path
  }
}

extension TextEncoding: ExpressibleByArgument {
  package init?(argument: String) { self.init(named: argument) }
}

/// A size in bytes, as an argument: `500000`, `512K`, `16M`.
struct FileSize: ExpressibleByArgument {
  let bytes: Int
  /// A larger file may not fit into a message to the daemon.
  private static let max = 64 << 20

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let units = ["K": 1 << 10, "M": 1 << 20]
    let unit = argument.last.flatMap { units[$0.uppercased()] }
    guard let number = Int(unit == nil ? argument[...] : argument.dropLast()), number > 0,
      number <= Self.max / (unit ?? 1)
    else { return nil }
    bytes = number * (unit ?? 1)
  }

  /// The default is in the help text.
  var defaultValueDescription: String { "" }
}
