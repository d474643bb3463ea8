import ArgumentParser
import EditModel
import EditProtocol
import TextState

struct ImportGitCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Import the git history of a file.",
    discussion: withExamples(
      """
      Each commit that `git log FILE` lists becomes one transaction: the difference of the texts, as \
      edits of origin external with the commit's author and time. Renames are followed, and merges with a \
      content of their own are versions too. The document must be new. Its name is --document, or by default \
      the file's URI, as editors name it.

      Marks of each version have the commit's hash, its author with the address, and its message of at \
      most \(GitCommit.messageSizeMax >> 10) kB, so that `--at mark:HASH` is the version of a commit, and \
      `export --format git` makes the same commits again.

      A version that is not UTF-8 is left out, unless --encoding names its encoding, and so are binary files, \
      links, submodules and objects that the repository does not have. Each is named with its commit. The exit \
      status is then 1, and 65 if there is no version to import. A shallow clone is named too.

      Times in a history never go back, and none is in the future. As many commits as possible keep their \
      own; another one has the nearest that fits between them, so a wrong clock changes no other commit.

      Nothing is fetched, and nothing that the repository names is run. Your settings of git are not used.

      A history of up to \(Numbers.grouped(ImportRequest.entryCountMax)) edits and marks and \
      \(partUnitsMax >> 20) million UTF-16 units is logged as a whole or not at all. If the import of a larger \
      one fails, the document is removed; if it is killed, a part stays: remove it with `editlog forget`.
      """))

  static let examples = [
    Example(
      "editlog import git README.md",
      "the git history of a file, as the history of its document"),
    Example("editlog import git README.md --document readme", "the same under another name"),
    Example(
      "editlog import git notes.txt --encoding ISO-8859-1",
      "a file whose old versions are not UTF-8"),
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file.", completion: .file()) var path: String
  @Option(
    help: ArgumentHelp("The document to make. (default: the file's)", valueName: "name"))
  var document: String?
  @Option(
    help: ArgumentHelp(
      "Encoding of versions that are not UTF-8; `iconv -l` lists the names. (default: none)",
      valueName: "name"))
  var encoding: String?
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// The UTF-16 units of a part that is sent at once.
  private static let partUnitsMax = 4 << 20

  func run(in session: Session) async throws {
    let start = SystemTime.monotonicNanoseconds
    let decoder = try encoding.map { name throws(CommandError) in
      guard let decoder = CharacterDecoder(named: name) else {
        throw CommandError.usage(
          "\(name.shown) is not the name of an encoding; `iconv -l` lists them")
      }
      return decoder
    }
    let history = try await GitHistory(path: path)
    let target = try await session.targetForImport(
      document ?? FileURI.absolute(path, in: DocumentArgument.workingDirectory))
    guard !target.exists else {
      throw CommandError.data(
        """
        \(target.document.argument.shown) has a history already; name another document with --document, \
        or remove this one with `editlog forget`
        """)
    }
    let own = try await history.times()
    let times = CommitTimes.fitting(own, now: session.now)
    var importer = EntryImporter(into: target.document, session, unit: "version")
    var writer = GitEntries(try ClientIdentity.run(of: "import git", author: nil))
    do {
      try await send(history, decoder, times, &writer, &importer)
    } catch { throw await importer.removing(after: error) }
    session.noteImport(
      importer.tally, into: target.document, nanoseconds: SystemTime.monotonicNanoseconds - start)
    note(history, writer, zip(own, times).count { $0 != $1 }, session)
    if common.json {
      try session.printImport(
        importer.tally, into: target.document, leftOut: history.gaps + writer.leftOut)
    }
    if !writer.leftOut.isEmpty || !history.gaps.isEmpty { throw ExitCode(1) }
  }

  private func send(
    _ history: GitHistory, _ decoder: CharacterDecoder?, _ times: [Timestamp],
    _ writer: inout GitEntries, _ importer: inout EntryImporter
  ) async throws {
    var (index, units) = (0, 0)
    try await history.forEachText(decoder) { version in
      let entries = writer.entries(of: version, at: times[index])
      index += 1
      for entry in entries {
        if importer.isFull || units > 0 && units + entry.unitCount > Self.partUnitsMax {
          try await importer.send(Double(index) / Double(times.count))
          units = 0
        }
        importer.add(entry, line: index)
        units += entry.unitCount
      }
    }
    guard writer.versionCount > 0 else {
      throw CommandError.data(
        "\(path.shown): no version can be imported: \(writer.leftOut.first ?? "there is none")")
    }
    try await importer.send(1)
    importer.end()
  }

  /// Notes what is not as in git.
  private func note(
    _ history: GitHistory, _ writer: GitEntries, _ changedTimes: Int, _ session: Session
  ) {
    if history.isShallow {
      session.note(
        """
        editlog: warning: \(path.shown) is in a shallow clone, which lacks the older commits; \
        `git fetch --unshallow` gets them
        """)
    }
    for part in history.gaps + writer.leftOut { session.note("editlog: left out: \(part)") }
    if changedTimes > 0 {
      session.note(
        """
        \(Numbers.grouped(changedTimes)) of \(Numbers.grouped(history.versions.count)) commits \
        \(changedTimes == 1 ? "has a time" : "have times") in the future or out of order: the nearest \
        time that fits was logged, because times in a history never go back.
        """)
    }
  }
}

extension HistoryEntry {
  /// The UTF-16 units that an edit inserts, or about those of an event.
  fileprivate var unitCount: Int {
    switch self {
    case .edit(let edit): edit.action.newLength
    case .event: HistoryEvent.labelSizeMax
    }
  }
}

/// The entries of a history that is imported from git.
private struct GitEntries {
  private let identity: ClientIdentity
  private var (text, sequence, counter): (UTF16Text, SequenceNumber, UInt64) = (UTF16Text(), 0, 0)
  /// The versions that were imported.
  private(set) var versionCount = 0
  /// The commits that were not imported, and why.
  private(set) var leftOut: [String] = []

  init(_ identity: ClientIdentity) { self.identity = identity }

  /// The edits and marks of a version; none if it is left out.
  mutating func entries(of version: GitHistory.ReadVersion, at time: Timestamp) -> [HistoryEntry] {
    let commit = version.commit
    guard case .success(let next) = version.text else {
      if case .failure(let error) = version.text {
        leftOut.append("commit \(commit.hash.prefix(12)): \(error.reason)")
      }
      return []
    }
    let (session, author) = (identity.session, commit.name.cut(toSize: AppendRequest.authorSizeMax))
    var entries: [HistoryEntry] = []
    if versionCount == 0 {
      let kind = HistoryEvent.Kind.session(identity.client)
      entries.append(.event(HistoryEvent(kind: kind, after: 0, time: time, session: session)))
    }
    versionCount += 1
    counter += 1
    let first = sequence + 1
    for action in TextDifference.replacements(from: text, to: next) {
      sequence += 1
      entries.append(
        .edit(
          Edit(
            sequence: sequence, action: action, origin: .external, transaction: first,
            author: author.isEmpty ? nil : author, session: session, counter: counter, time: time,
            clientTime: commit.time == time ? nil : commit.time)))
    }
    text = next
    for label in ImportedCommit(commit).labels {
      entries.append(
        .event(
          HistoryEvent(
            kind: .mark(label: label, at: sequence), after: sequence, time: time,
            author: author.isEmpty ? nil : author, session: session, counter: counter)))
    }
    return entries
  }
}
