import EditModel
import EditProtocol

/// The checks of `doctor`. No check fails because something is missing: that is a finding.
struct Doctor {
  let machine: DoctorMachine
  /// Where the store's state is asked for.
  let location: Location
  /// The state of the store, or the reason why it is not known.
  let status: Result<StatusAnswer, ProtocolError>
  /// The names of the documents; nil if they are not known.
  var documents: [DocumentID]?

  /// All findings, in the order in which they are printed.
  var findings: [DoctorFinding] {
    get async {
      [
        store, daemon, names, await settings, unit, linger, program, project, completions,
        await zsh,
        manual,
        editors, spoolFolder, waiting, room, inotify,
      ]
    }
  }

  // MARK: Store and daemon

  private var store: DoctorFinding {
    switch status {
    case .success(let status):
      let path = status.path.shown
      if let shortage = status.daemon?.shortage {
        return .problem("store", shortage.message, "free space on the disk")
      }
      if let damage = status.damage.first {
        let more = status.damage.count > 1 ? " (and \(status.damage.count - 1) more)" : ""
        return .problem("store", "\(path) is damaged: \(damage)\(more)", "run `editlog verify`")
      }
      if status.quarantinedCount > 0 {
        return .warning(
          "store", "\(path) has \(count(status.quarantinedCount, "file")) in quarantine",
          "run `editlog verify`")
      }
      let documents = count(status.documentCount, "document")
      return .ok(
        "store", "\(path): \(documents), \(count(status.editCount, "edit")), no known damage")
    case .failure(let error) where error.code == .unreachable || error.code == .unknownDocument:
      guard let path = storePath else {
        return .warning(
          "store", "not known, because no daemon answers", "start editlogd, or give --store")
      }
      return .warning("store", "there is none at \(path.shown) yet", "the first edit creates it")
    case .failure(let error) where error.code == .unresponsive || error.code == .overloaded:
      return .warning("store", "not known, because the daemon does not answer", "see below")
    case .failure(let error):
      let isDamage = error.code == .damagedLog || error.code == .storeUnreadable
      return .problem("store", error.message, isDamage ? "run `editlog verify`" : nil)
    }
  }

  /// The path of the store, as far as it is known without a daemon.
  var storePath: String? {
    switch location {
    case .store(let path), .either(_, let path): path
    case .socket: nil
    }
  }

  private var daemon: DoctorFinding {
    let socket: String
    switch location {
    case .store: return .ok("daemon", "not asked, because --store or EDITLOG_STORE was given")
    case .socket(let path), .either(let path, _): socket = path
    }
    switch status {
    case .success(let status):
      guard status.daemon != nil else { break }
      guard status.version == EditLogVersion.current else {
        return .warning(
          "daemon",
          """
          editlogd \(status.version.shown) answers at \(socket.shown), and this is editlog \
          \(EditLogVersion.current)
          """, "restart editlogd")
      }
      return .ok("daemon", "editlogd \(status.version.shown) answers at \(socket.shown)")
    case .failure(let error) where error.code == .unreachable || error.code == .unknownDocument:
      break
    case .failure(let error) where error.code == .unresponsive:
      return .problem(
        "daemon",
        "a daemon accepts connections at \(socket.shown), and sends nothing: it starts, is stopped or hangs",
        hasManager
          ? "look at `systemctl \(manager)status editlogd`, and run `systemctl \(manager)restart editlogd`"
          : "continue it with `kill -CONT PID`, or end it with `kill PID` and \(start)")
    case .failure(let error) where error.code == .notPermitted || error.code == .invalidParams:
      // The message says what to do.
      return .problem("daemon", error.message, nil)
    case .failure(let error):
      return .problem(
        "daemon", error.message,
        hasManager ? "read its log: `journalctl \(manager)-u editlogd`" : "read what it printed")
    }
    return .problem("daemon", "no editlogd answers at \(socket.shown)", start)
  }

  /// Files with several histories, which an earlier version began for several spellings of a name.
  private var names: DoctorFinding {
    guard let documents else {
      return .ok("names", "not checked, because the documents are not known")
    }
    let others = documents.filter { $0.fileOfOtherHistory != nil }
    guard let first = others.first, let file = first.fileOfOtherHistory else {
      return .ok("names", "each file has one history")
    }
    let files = Set(others.compactMap(\.fileOfOtherHistory)).count
    return .warning(
      "names",
      """
      \(count(files, "file")) \(files == 1 ? "has" : "have") older histories too, which an earlier version \
      began for another spelling of the name, as \(first.shown) of \(file.argument.shown)
      """,
      """
      compare them with `editlog show \(first.argument.shellWord)`, and remove what is not needed with \
      `editlog forget`
      """)
  }

  private var settings: DoctorFinding {
    get async {
      let command =
        unitFile.flatMap { startedCommand(by: $0.path) }
        ?? machine.program("editlogd").map { [$0] } ?? []
      guard let editlogd = command.first else {
        return .warning(
          "settings", "not checked: editlogd is not on PATH", "install editlogd beside editlog")
      }
      let remedy = "run `\(command.joined(separator: " ").shown) --check-config`"
      guard let errors = await machine.settingErrors(command) else {
        return .warning(
          "settings", "not checked: \(editlogd.shown) could not be run, or did not end in 2 s",
          remedy)
      }
      guard let first = errors.first else {
        return .ok("settings", "\(editlogd.shown) finds no error in them")
      }
      let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
      return .problem("settings", first + more, remedy)
    }
  }

  // MARK: Words

  /// The first of a path and the folders above it that exists.
  func existingParent(of path: String) -> String {
    var path = path[...]
    while !machine.exists(String(path)), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      path = slash == path.startIndex ? "/" : path[..<slash]
      if path == "/" { break }
    }
    return String(path)
  }

  func count(_ number: some BinaryInteger, _ word: String) -> String {
    "\(Numbers.grouped(number)) \(word)\(number == 1 ? "" : "s")"
  }
}
