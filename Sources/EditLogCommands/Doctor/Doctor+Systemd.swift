import EditModel
import Glibc

// The units, and services without a login.
extension Doctor {
  /// The folder of this user's configuration.
  private var configuration: String? {
    machine.environment("XDG_CONFIG_HOME") ?? machine.environment("HOME").map { $0 + "/.config" }
  }

  private var userUnitFolders: [String] {
    let own = [
      configuration.map { $0 + "/systemd/user" },
      machine.environment("HOME").map { $0 + "/.local/share/systemd/user" },
    ].compactMap(\.self)
    return own
      + ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map { "\(machine.root)\($0)/systemd/user" }
  }

  private var systemUnitFolders: [String] {
    ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map { "\(machine.root)\($0)/systemd/system" }
  }

  /// The unit of the service: that of the user's manager, else that of the system; nil if there is none.
  var unitFile: (path: String, isUsers: Bool)? {
    let name = "/editlogd.service"
    if let folder = userUnitFolders.first(where: { machine.exists($0 + name) }) {
      return (folder + name, true)
    }
    return systemUnitFolders.first { machine.exists($0 + name) }.map { ($0 + name, false) }
  }

  /// The option of systemctl and journalctl for the manager of the unit.
  var manager: String { unitFile?.isUsers == false ? "" : "--user " }

  private var runsSystemd: Bool { machine.exists(machine.root + "/run/systemd/system") }

  /// True if a manager runs that knows the unit. After `su`, and in containers, that of the user may not.
  var hasManager: Bool {
    guard let unitFile, runsSystemd else { return false }
    guard unitFile.isUsers else { return true }
    return machine.environment("XDG_RUNTIME_DIR").map { machine.exists($0 + "/systemd") } ?? false
  }

  /// How the daemon is started here.
  var start: String {
    hasManager
      ? "start it with `systemctl \(manager)start editlogd.socket`" : "start it with `editlogd &`"
  }

  var unit: DoctorFinding {
    guard let unitFile else {
      return runsSystemd
        ? .warning(
          "unit", "no editlogd.service is installed: editlogd starts by hand only",
          "install the units with `Tools/install` (README, As a service)")
        : .ok("unit", "systemd does not run here; `editlogd &` starts the daemon")
    }
    let path = unitFile.path.shown
    if let program = startedCommand(by: unitFile.path)?.first, access(program, X_OK) != 0 {
      return .problem(
        "unit", "\(path) starts \(program.shown), which is no program",
        "install editlogd there, or correct ExecStart=")
    }
    guard runsSystemd else {
      return .ok(
        "unit",
        "\(path) is installed; systemd does not run here, and `editlogd &` starts the daemon")
    }
    let folders = unitFile.isUsers ? userUnitFolders : systemUnitFolders
    let wants = [
      "default.target.wants/editlogd.service", "multi-user.target.wants/editlogd.service",
      "sockets.target.wants/editlogd.socket",
    ]
    // A link may point to a file that is seen from another root.
    var info = stat()
    guard
      folders.contains(where: { folder in wants.contains { lstat("\(folder)/\($0)", &info) == 0 } })
    else {
      return .warning(
        "unit", "\(path) is installed but not enabled",
        "run `systemctl \(manager)enable --now editlogd.service`")
    }
    return .ok("unit", "\(path) is installed and enabled")
  }

  /// The words of the unit's last `ExecStart=`; nil if it has more in it than paths below %h.
  func startedCommand(by unit: String) -> [String]? {
    let lines = (machine.text(unit) ?? "").split(separator: "\n")
    guard let line = lines.last(where: { $0.hasPrefix("ExecStart=") }) else { return nil }
    let command = line.dropFirst("ExecStart=".count).drop { "@-:+!".contains($0) }
      .replacing("%h", with: machine.environment("HOME") ?? "%h")
    guard command.hasPrefix("/"), !command.contains(where: { "%$\"'\\".contains($0) }) else {
      return nil
    }
    return command.split(separator: " ").map(String.init)
  }

  var linger: DoctorFinding {
    let user = machine.user
    if unitFile?.isUsers == false {
      return .ok("linger", "not needed: editlogd is a service of the system")
    }
    guard runsSystemd else {
      return .ok("linger", "not needed: systemd does not run here")
    }
    return machine.exists("\(machine.root)/var/lib/systemd/linger/\(user)")
      ? .ok("linger", "on: services of \(user.shown) run without a login")
      : .ok(
        "linger",
        "off: services of \(user.shown) end at logout; `loginctl enable-linger` keeps them running")
  }
}
