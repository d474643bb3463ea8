import EditClient
import EditIngest
import EditModel
import EditProtocol
import EditSpool
import FileWatch
import NIOPosix
import TextState

/// Follows files, and logs each save: the loop of `editlog watch`.
///
/// - All files are compared with the log at the start, after events were lost, and after each new
///   connection. After that, a file is compared once its changes have settled.
/// - What is left to do is the difference between files and log, so nothing is kept: if the daemon is
///   away, or this program ends, the next comparison finds it.
/// - A file that differs from a document that is open in an editor is compared again later: the
///   editor's own messages may still come.
struct FileFollower {
  /// What may be chosen.
  struct Options {
    var socket: String
    /// The store that the daemon must serve; nil if none is named.
    var store: NamedStore?
    /// How long a daemon is waited for that sends nothing. Then it counts as away.
    var silence = SilenceLimits()
    /// The folder of the editors' spools; nil if there is none.
    var spools: String?
    /// The size in bytes of the largest file that is read.
    var sizeMax: Int
    /// The encoding of texts that are not UTF-8 and have no byte order mark; nil if they are skipped.
    var encoding: TextEncoding?
    /// True if the files are compared once.
    var isOnce = false
    /// True if each save is printed.
    var isVerbose = false
    /// The run of `watch`; nil if the daemon is not told.
    var identity: ClientIdentity?
    /// How long the daemon must have run, so that editors that have documents open are connected
    /// again. Their bridges try every second.
    var daemonAgeMin = Duration.seconds(3)
    /// How long unsent edits of editors are waited for.
    var spoolPatience = Duration.seconds(10)
    /// How long a document whose file was renamed waits for another file of its name.
    var renamePause = FileWatcher.settleTimeMax
    /// How long a file that was just made must not change before its document begins; and how long at most it is
    /// waited for. Until then it may be a temporary one, which gets the name of another.
    var newPause = Duration.seconds(3)
    var newPauseMax = Duration.seconds(30)
    /// The pauses before a file that is open in an editor is compared again; doubled each time.
    var openPause = (min: Duration.seconds(1), max: Duration.seconds(60))
  }

  private let options: Options
  private let watcher: FileWatcher
  /// The thread that waits for changes.
  private let waitingThread = NIOThreadPool(numberOfThreads: 1)
  private let note: @Sendable (String) -> Void
  private var report: WatchReport
  /// The last pause of each file that is open in an editor.
  private var pauses: [ExactString: Duration] = [:]
  /// How often a file had changed a moment before it was read.
  private var unsettledCounts: [ExactString: Int] = [:]
  /// Files that were empty when they were read last.
  private var emptyFiles: Set<ExactString> = []
  /// Renamed files that are waited for.
  private var renamedFiles: Set<ExactString> = []
  /// Files that were just made and have no document: when they are waited for no longer, and when they have not
  /// changed for a while, if they were compared.
  private var newFiles:
    [ExactString: (end: ContinuousClock.Instant, quiet: ContinuousClock.Instant?)] =
      [:]
  private var tally = Tally()
  /// The first files that began a document in the first comparison: they may have been moved before.
  private var begunFiles: [String] = []
  /// The files that the daemon knows to be skipped.
  private var knownSkipped = SkippedFiles()

  /// The numbers of a comparison of all files.
  private struct Tally {
    var (files, begun, changed, open, skipped) = (0, 0, 0, 0, 0)
  }

  /// How often a file may have changed a moment before it is read: about two seconds.
  private static let unsettledCountMax = 20
  /// The maximum number of `begunFiles`.
  private static let begunCountMax = 16
  /// The number of files that are compared at a time, and their size in bytes. A larger file is compared
  /// alone.
  private static let (countMax, sizeMax) = (32, 1 << 20)
  /// The number of files from which the comparison is announced.
  private static let manyCount = 10_000
  private static let connectPause = (min: Duration.milliseconds(100), max: Duration.seconds(2))

  init(_ options: Options, _ watcher: FileWatcher, note: @escaping @Sendable (String) -> Void) {
    (self.options, self.watcher, self.note) = (options, watcher, note)
    report = WatchReport(sizeMax: options.sizeMax, encoding: options.encoding, note: note)
  }

  /// Runs until the task is cancelled, or until all files are compared if that is done once.
  ///
  /// - Throws: `CancellationError`; `ProtocolError` if the daemon may not be reached;
  ///   `CommandError` (74) if the system refuses an inotify.
  mutating func run() async throws {
    waitingThread.start()
    defer { waitingThread.shutdownGracefully { _ in } }
    while true {
      let client = try await connect()
      do {
        try await follow(client)
        return await client.close()
      } catch {
        await client.close()
        guard !options.isOnce, let error = error as? ProtocolError, error.code.isRetryable
        else { throw error }
        report.say(
          """
          the daemon is away; waiting. Of several saves until it is back, the last is logged \
          (\(error.message))
          """)
        // It may accept connections and refuse every call.
        try await sleep(
          error.code == .unresponsive
            ? Self.connectPause.max : Self.connectPause.min)
      }
    }
  }

  // MARK: The daemon

  private mutating func connect() async throws -> EditLogClient {
    var pause = Self.connectPause.min
    var client = EditLogClient.Options()
    // While it waits, it has said so.
    client.silence = report.isWaiting ? options.silence.quiet : options.silence
    while true {
      do {
        return try await EditLogClient.connect(to: options.socket, options: client)
      } catch {
        guard error.code == .unreachable || error.code == .unresponsive, !options.isOnce else {
          throw error
        }
        if !report.isWaiting { report.say("waiting for the daemon: \(error.message)") }
      }
      try await sleep(pause)
      pause = min(pause * 2, Self.connectPause.max)
    }
  }

  /// Waits until the editors that were connected to an earlier run of the daemon are connected again,
  /// and have sent what they kept. Until then the log may lack what is in a file.
  private func waitForEditors(_ status: StatusAnswer) async throws {
    if let started = status.daemon?.started {
      let age = Duration.nanoseconds(SystemTime.now.nanoseconds - started.nanoseconds)
      let missing = options.daemonAgeMin - max(age, .zero)
      if missing > .zero { try await sleep(missing) }
    }
    guard let spools = options.spools else { return }
    let deadline = ContinuousClock.now + options.spoolPatience
    while WaitingSpool.all(in: spools).contains(where: { $0.isFor(storeAt: status.path) }) {
      guard ContinuousClock.now < deadline else {
        return note("editors have edits that are not sent; `editlog status` lists them")
      }
      try await sleep(.milliseconds(100))
    }
  }

  // MARK: The loop

  private mutating func follow(_ client: EditLogClient) async throws {
    knownSkipped = skipped
    if let identity = options.identity {
      try await client.introduce(identity.skipping(knownSkipped))
    }
    let status = try await client.call(StatusRequest())
    try await options.store?.check(status, at: options.socket)
    if report.isWaiting { note("the daemon is back") }
    report.clearLine()
    try await waitForEditors(status)
    let avoided = Set(exact: [status.path, options.spools].compactMap(\.self))
    try scan(avoided)
    var isCompared = false
    while true {
      let notes = watcher.takeNotes()
      report.print(notes)
      if notes.contains(.eventsLost) { try scan(avoided) }
      let files = watcher.takeDue().files
      if !isCompared, files.count >= Self.manyCount {
        note("comparing \(Numbers.grouped(files.count)) files with the log")
      }
      try await compare(files, client)
      report.print()
      try await tellSkipped(client)
      if !isCompared, unsettledCounts.isEmpty {
        isCompared = true
        try await sayMoved(client)
        sayTally()
      }
      if options.isOnce, isCompared { return }
      if watcher.nextDue == nil { newFiles = [:] }
      try await wait(until: watcher.nextDue)
    }
  }

  /// The skipped files: those that were reported, and what the watcher leaves out.
  private var skipped: SkippedFiles {
    var skipped = report.skipped
    (skipped[.nameNotUTF8], skipped[.symbolicLink]) = watcher.skippedCounts
    return skipped
  }

  /// Tells the daemon which files are skipped, for `status`, if that has changed.
  private mutating func tellSkipped(_ client: EditLogClient) async throws {
    let skipped = skipped
    guard skipped != knownSkipped, let identity = options.identity else { return }
    try await client.introduce(identity.skipping(skipped))
    knownSkipped = skipped
  }

  /// Reports the new files that have the last text of a document whose file is gone: they were moved while nothing
  /// followed them. O(documents), and at most `MovedFile.timeMax` for texts.
  private mutating func sayMoved(_ client: EditLogClient) async throws {
    let files = begunFiles
    begunFiles = []
    guard !files.isEmpty else { return }
    let moved = MovedDocuments(among: try await client.call(DocumentsRequest()).documents)
    let end = ContinuousClock.now + MovedFile.timeMax
    for path in files {
      let content = watcher.content(
        of: path, sizeMax: options.sizeMax, waits: false, encoding: options.encoding)
      guard let text = content.text else { continue }
      let found = await moved.documents(having: UTF16Text(text), at: path, until: end) {
        try await client.call($0)
      }
      let old = found.map(\.argument)
      if !old.isEmpty { note(MovedFile.sentence(from: old, to: path, before: "run")) }
    }
  }

  private mutating func scan(_ avoided: Set<ExactString>) throws {
    tally = Tally()
    do { try watcher.scan(watching: !options.isOnce, avoiding: avoided) } catch {
      throw CommandError.io(
        "cannot watch files: \(error); see fs.inotify.max_user_instances in `sysctl -a`")
    }
  }

  /// Waits for changes, or until `deadline`.
  private func wait(until deadline: ContinuousClock.Instant?) async throws {
    try Task.checkCancellation()
    try await withTaskCancellationHandler {
      try await waitingThread.runIfActive { [watcher] in watcher.wait(until: deadline) }
    } onCancel: {
      watcher.wake()
    }
    try Task.checkCancellation()
  }

  /// Waits for a time. `Task.sleep` would need a thread of Dispatch.
  private func sleep(_ time: Duration) async throws {
    let deadline = ContinuousClock.now + time
    while .now < deadline { try await wait(until: deadline) }
  }

  private func sayTally() {
    let counts = [
      ("new", tally.begun), ("changed", tally.changed), ("open in an editor", tally.open),
      ("skipped", tally.skipped),
    ].filter { $0.1 > 0 }.map { "\(Numbers.grouped($0.1)) \($0.0)" }
    note(
      "compared \(Numbers.grouped(tally.files)) \(tally.files == 1 ? "file" : "files") with the log: "
        + (counts.isEmpty ? "all as logged" : counts.joined(separator: ", ")))
  }

  // MARK: Files

  /// A comparison that has ended.
  private typealias Compared = (
    file: FileWatcher.File, size: Int, result: Result<FileLogger.Outcome, any Error>
  )

  /// Compares files with the log, a few at a time: the daemon writes the edits of several with one
  /// flush.
  private mutating func compare(
    _ files: [FileWatcher.File], _ client: EditLogClient
  ) async throws {
    let (logger, options) = (FileLogger(client: client, watcher), options)
    try await withThrowingTaskGroup(of: Compared.self) { group in
      var (count, size) = (0, 0)
      for file in files {
        try Task.checkCancellation()
        guard let (text, isSettled) = try await text(of: file, logger) else { continue }
        while count == Self.countMax || count > 0 && size + text.utf8.count > Self.sizeMax {
          guard let compared = try await group.next() else { break }
          (count, size) = (count - 1, size - compared.size)
          try finish(compared)
        }
        (count, size) = (count + 1, size + text.utf8.count)
        let begins = mayBegin(file.path)
        group.addTask { [watcher] in
          do {
            let outcome = try await logger.log(text, of: file.path, begins: begins) {
              // `restore --write` logs the new text, and then renames the file that has it.
              let root = watcher.root(of: file.path)
              let path = root == nil ? watcher.realPath(of: file.path) : nil
              if FileReplacement.isUnderWay(path ?? file.path, in: root) { return nil }
              let newer = watcher.content(
                of: file.path, sizeMax: options.sizeMax, waits: false, encoding: options.encoding
              ).text
              // A program may be about to write the rest.
              return newer == text || !isSettled && newer?.isEmpty == false ? newer : nil
            }
            return (file, text.utf8.count, .success(outcome))
          } catch { return (file, text.utf8.count, .failure(error)) }
        }
      }
      for try await compared in group { try finish(compared) }
    }
  }

  /// The text of a file, whose document has the file's name, and whether it has not changed for a moment;
  /// nil if there is nothing to compare now. A file that came by a rename, or changes all the time, need not
  /// be settled.
  private mutating func text(
    of file: FileWatcher.File, _ logger: FileLogger
  ) async throws -> (text: String, isSettled: Bool)? {
    if file.isNew, !options.isOnce, options.newPause > .zero, newFiles[file.path] == nil {
      newFiles[file.path] = (.now + options.newPauseMax, nil)
    }
    let waits =
      !file.isWhole && !file.isBusy
      && unsettledCounts[file.path, default: 0] < Self.unsettledCountMax
    let content = watcher.content(
      of: file.path, sizeMax: options.sizeMax, waits: waits, encoding: options.encoding)
    if content == .unsettled {
      putBackUnsettled(file)
      return nil
    }
    unsettledCounts[file.path] = nil
    if isEmptied(content, file) {
      watcher.putBack(file, after: FileWatcher.settleTimeMax)
      return nil
    }
    do {
      if try await isJustRenamed(file, logger) {
        watcher.putBack(file, after: options.renamePause)
        return nil
      }
      try await follow(file, content, logger)
    } catch {
      try handle(error, file)
      return nil
    }
    tally.files += 1
    switch content {
    case .text(let text): return (text, waits)
    case .missing: tally.files -= 1
    case .binary: skip(.binary, file)
    case .notUTF8: skip(.notUTF8, file)
    case .notAsMarked(let encoding): skip(.notAsMarked(encoding), file)
    case .tooLarge: skip(.tooLarge, file)
    case .unreadable(let error): skip(.unreadable(error), file)
    case .unsettled: break
    }
    return nil
  }

  /// True if a file has just been renamed, and its document may follow it. Editors that save by renaming
  /// the old file make it again a moment later, and then the document stays. A rename onto the name of
  /// another document is a save of that, which waits for nothing.
  private mutating func isJustRenamed(
    _ file: FileWatcher.File, _ logger: FileLogger
  ) async throws -> Bool {
    guard let oldPath = file.oldPath, FileKind(oldPath) == nil, !options.isOnce,
      !renamedFiles.contains(file.path), try await logger.isKnown(oldPath),
      try await !logger.isKnown(file.path)
    else {
      renamedFiles.remove(file.path)
      return false
    }
    renamedFiles.insert(file.path)
    return true
  }

  /// Gives the document of a renamed file its new name, and says which documents have lost their files.
  private mutating func follow(
    _ file: FileWatcher.File, _ content: FileContent, _ logger: FileLogger
  ) async throws {
    if let oldPath = file.oldPath { newFiles[oldPath] = nil }
    if content == .missing {
      pauses[file.path] = nil
      newFiles[file.path] = nil
      report.clear(file.path)
      // A link is no file of its own, and leads to one that is there.
      if DocumentArgument.realPath(file.path) == nil, try await logger.isKnown(file.path) {
        report.add(.gone, file.path)
      }
    }
    guard let oldPath = file.oldPath, FileKind(oldPath) == nil else { return }
    pauses[oldPath] = nil
    report.clear(oldPath)
    guard case .text = content else {
      if try await logger.isKnown(oldPath) { report.add(.gone, oldPath) }
      return
    }
    if try await logger.rename(oldPath, to: file.path) {
      report.add(.renamed, oldPath)
    } else if try await logger.isKnown(oldPath) {
      report.add(.keptName, oldPath)
    }
  }

  /// Notes the end of a comparison.
  ///
  /// - Throws: an error that concerns all files.
  private mutating func finish(_ compared: Compared) throws {
    let path = compared.file.path
    switch compared.result {
    case .failure(let error): return try handle(error, compared.file)
    case .success(.same):
      // One that was made empty will be written.
      if compared.size > 0 { newFiles[path] = nil }
    case .success(.begun):
      tally.begun += 1
      if begunFiles.count < Self.begunCountMax { begunFiles.append(path) }
      newFiles[path] = nil
      if options.isVerbose { report.add(.begun, path) }
    case .success(.changed):
      tally.changed += 1
      newFiles[path] = nil
      if options.isVerbose { report.add(.changed, path) }
    case .success(.unbegun):
      tally.files -= 1
      if let (end, quiet) = newFiles[path] {
        watcher.putBack(compared.file, after: min(quiet ?? end, end) - .now)
      }
      return
    case .success(.unread):
      tally.files -= 1
      var file = compared.file
      // Its document has the new name already.
      file.oldPath = nil
      return putBackUnsettled(file)
    }
    pauses[path] = nil
    report.clear(path)
    report.clearLine()
  }

  /// False if a file was made a moment ago, or has changed since it was made and compared: if it has no document,
  /// it may be a temporary one, half written.
  private mutating func mayBegin(_ path: String) -> Bool {
    guard let (end, quiet) = newFiles[path] else { return true }
    let now = ContinuousClock.now
    guard now < end, now < quiet ?? end else { return true }
    newFiles[path] = (end, now + options.newPause)
    return false
  }

  /// True if a file has just become empty. Many programs empty a file before they write it: if that was
  /// logged, no paragraph would stay the same.
  private mutating func isEmptied(_ content: FileContent, _ file: FileWatcher.File) -> Bool {
    guard content == .text(""), !file.isWhole else {
      emptyFiles.remove(file.path)
      return false
    }
    return !options.isOnce && emptyFiles.insert(file.path)
  }

  private mutating func skip(_ fact: WatchReport.Fact, _ file: FileWatcher.File) {
    tally.skipped += 1
    report.add(fact, file.path)
  }

  private mutating func putBackUnsettled(_ file: FileWatcher.File) {
    let count = unsettledCounts[file.path, default: 0] + 1
    unsettledCounts[file.path] = count
    guard !options.isOnce || count < 2 * Self.unsettledCountMax else {
      return skip(.busy, file)
    }
    watcher.putBack(file, after: FileWatcher.settleTime)
  }

  /// Handles an error about a file: it is compared again later, or skipped until it changes.
  ///
  /// - Throws: an error that concerns all files.
  private mutating func handle(_ error: any Error, _ file: FileWatcher.File) throws {
    switch error {
    case let error as ProtocolError
    where error.code == .unreachable || error.code == .unresponsive:
      throw error
    case let error as ProtocolError where error.code == .openInEditor:
      tally.open += 1
      if options.isVerbose { report.add(.open, file.path) }
      guard !options.isOnce else { return }
      let pause = pauses[file.path].map { $0 * 2 } ?? options.openPause.min
      pauses[file.path] = min(pause, options.openPause.max)
      watcher.putBack(file, after: min(pause, options.openPause.max))
    case let error as ProtocolError where error.code.isRetryable && !options.isOnce:
      report.say("the daemon takes no edits now: \(error.message)")
      watcher.putBack(file, after: .seconds(1))
    case let error as ProtocolError: skip(.refused(error.message), file)
    case let error as CommandError: skip(.refused(error.message), file)
    default: throw error
    }
  }
}
