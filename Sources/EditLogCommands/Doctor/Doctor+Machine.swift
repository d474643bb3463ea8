import EditModel
import EditProtocol
import EditSpool
import Glibc

// What editors need, and what the machine has.
extension Doctor {
  /// Free bytes below which there is a warning, and a problem.
  private static let (roomWarning, roomProblem): (Int64, Int64) = (1 << 30, 64 << 20)
  /// The number of watched files and folders below which there is a warning.
  private static let watchCountMin = 65_536

  var program: DoctorFinding {
    guard let path = machine.program("editlog") else {
      return .problem(
        "editor", "editlog is not on PATH, so editors cannot start `editlog lsp`",
        "install editlog in a folder of PATH, such as ~/.local/bin or /usr/local/bin")
    }
    return .ok("editor", "editors can start `editlog lsp`: it is \(path.shown)")
  }

  var project: DoctorFinding {
    guard let path = machine.projectProgram else {
      return .warning(
        "project", "not checked: the path of this program is not known", "mount /proc")
    }
    let problem: String
    if !machine.exists(path) {
      problem = "\(path.shown) is missing"
    } else if access(path, X_OK) != 0 {
      problem = "\(path.shown) cannot be executed"
    } else {
      return .ok("project", "`editlog project` runs \(path.shown)")
    }
    return .warning(
      "project", "\(problem), so `editlog project` does not work; all other verbs do",
      "install \(ProjectSQLiteCommand.program) there, with mode 0755")
  }

  var spoolFolder: DoctorFinding {
    guard let path = machine.places.spool else {
      return .problem(
        "spool", "there is no folder for unsent edits", "set EDITLOG_SPOOL or HOME")
    }
    var info = stat()
    guard stat(path, &info) == 0 else {
      guard errno == ENOENT else {
        return .problem(
          "spool", "\(path.shown): \(String(cString: strerror(errno)))",
          "let this user enter the folders above it")
      }
      let parent = existingParent(of: path)
      return access(parent, W_OK | X_OK) == 0
        ? .ok("spool", "\(path.shown) is created by the first editor")
        : .problem(
          "spool", "\(path.shown) cannot be created in \(parent.shown)",
          "create it with mode 0700, or set EDITLOG_SPOOL")
    }
    guard info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid(), info.st_mode & 0o077 == 0,
      access(path, W_OK | X_OK) == 0
    else {
      return .problem(
        "spool", "\(path.shown) is not a private folder of this user: editors keep no edits in it",
        "run `chmod 700` on it, or set EDITLOG_SPOOL")
    }
    return .ok("spool", "\(path.shown) takes what editors cannot send")
  }

  var waiting: DoctorFinding {
    let spools = machine.places.spool.map { WaitingSpool.all(in: $0) } ?? []
    let abandoned = spools.filter { !$0.isHeld }
    func messages(_ spools: [WaitingSpool]) -> String {
      count(spools.reduce(0) { $0 + $1.requestCount }, "message")
    }
    let kept = machine.places.spool.map { SpoolFolder(path: $0).damaged } ?? []
    if let first = kept.first {
      return .warning(
        "waiting",
        "\(count(kept.count, "spool")) could not be logged as a whole, the first \(first.shown)",
        """
        `editlog status` says why; compare the document with the editor's text, then remove the file
        """)
    }
    if let linked = spools.first(where: { $0.nameCount > 1 }) {
      return .warning(
        "waiting",
        "\(linked.path.shown) has \(linked.nameCount) names (hard links), and is not delivered",
        "remove its other names")
    }
    if let oldest = abandoned.first {
      return .warning(
        "waiting",
        """
        \(messages(abandoned)) of editors that have ended are in \
        \(count(abandoned.count, "spool")), the first \(oldest.path.shown)
        """,
        "start editlogd; if they are still here then, `editlog status` says why")
    }
    return spools.isEmpty
      ? .ok("waiting", "no edits wait in spools")
      : .ok("waiting", "\(messages(spools)) of running editors wait to be sent")
  }

  var room: DoctorFinding {
    let path: String? =
      if case .success(let status) = status { status.path } else {
        storePath ?? machine.places.store
      }
    guard let path, let free = machine.freeBytes(existingParent(of: path)) else {
      return .warning("disk", "the free space is not known", "look at `df`")
    }
    let what = "\(Numbers.size(free)) are free for \(path.shown)"
    if free < Self.roomProblem { return .problem("disk", what, "free space, or move the store") }
    if free < Self.roomWarning { return .warning("disk", what, "free space soon") }
    return .ok("disk", what)
  }

  var inotify: DoctorFinding {
    let folder = machine.root + "/proc/sys/fs/inotify"
    func number(_ name: String) -> Int? { machine.text("\(folder)/\(name)").flatMap { Int($0) } }
    guard let watches = number("max_user_watches"), let instances = number("max_user_instances")
    else {
      return .warning(
        "inotify", "its limits are not known: \(folder.shown) cannot be read",
        "look at `sysctl fs.inotify`")
    }
    // A container may have a lower limit than the machine.
    let own = machine.text(machine.root + "/proc/sys/user/max_inotify_watches").flatMap { Int($0) }
    if let own, own < min(watches, Self.watchCountMin) {
      return .warning(
        "inotify", "this container can watch \(Numbers.grouped(own)) files and folders",
        "raise `user.max_inotify_watches` of its user namespace")
    }
    let what = """
      this user can watch \(Numbers.grouped(watches)) files and folders, in \
      \(count(instances, "program"))
      """
    return watches < Self.watchCountMin
      ? .warning(
        "inotify", what,
        "raise it: `sudo sysctl fs.inotify.max_user_watches=\(Self.watchCountMin * 8)`")
      : .ok("inotify", what)
  }
}
