import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// Each state of each check of `doctor`, on a machine that is a temporary folder.
@Suite struct DoctorTests {
  private let folder = TemporaryFolder()

  /// A machine without anything but a home and room on the disk.
  private var machine: DoctorMachine {
    let home = folder.path("home")
    mkdir(home, 0o700)
    return DoctorMachine(
      root: folder.path,
      environment: { ["HOME": home, "PATH": home + "/bin", "XDG_RUNTIME_DIR": "/r"][$0] },
      projectProgram: home + "/bin/editlog-project", user: "ada", freeBytes: { _ in 5 << 30 },
      settingErrors: { _ in [] })
  }

  /// The finding of one check.
  private func finding(
    _ check: String, _ status: StatusAnswer? = nil, on machine: DoctorMachine? = nil,
    failing error: ProtocolError = ProtocolError(.unreachable, "no daemon"),
    at location: Location = .either(socket: "/r/s", store: "/s"), documents: [DocumentID]? = nil
  ) async throws -> DoctorFinding {
    let doctor = Doctor(
      machine: machine ?? self.machine, location: location,
      status: status.map { .success($0) } ?? .failure(error), documents: documents)
    let findings = await doctor.findings
    #expect(Set(findings.map(\.check)).count == findings.count)
    return try #require(findings.first { $0.check == check })
  }

  @Test func `files with several histories are named`() async throws {
    let file = try #require(DocumentID("file:///home/ada/caf%C3%A9.md"))
    let other = try #require(file.otherHistory(3))
    #expect(
      try await finding("names", documents: [file]) == .ok("names", "each file has one history"))
    let found = try await finding("names", documents: [file, other])
    #expect(found.state == .warning)
    #expect(
      found.what == """
        1 file has older histories too, which an earlier version began for another spelling of the name, as \
        file:///home/ada/caf%C3%A9.md?history=3 of /home/ada/café.md
        """)
    #expect(
      found.remedy?.contains("`editlog show 'file:///home/ada/caf%C3%A9.md?history=3'`") == true)
  }

  /// Writes a file, and the folders above it.
  private func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
    var path = folder.path
    for part in name.split(separator: "/").dropLast() {
      path += "/" + part
      mkdir(path, 0o700)
    }
    let file = try #require(fopen(folder.path(name), "w"))
    defer { fclose(file) }
    try #require(fputs(text, file) >= 0 && chmod(folder.path(name), mode) == 0)
  }

  private static let daemon = DaemonStatus(
    started: time("2026-11-20T15:04:05Z"), unsealedCount: 0, inMemoryCount: 0, checkedCount: 0)

  @Test func `the store`() async throws {
    #expect(
      try await finding("store", StatusAnswer())
        == .ok("store", "/s: 3 documents, 259,778 edits, no known damage"))
    #expect(
      try await finding("store", StatusAnswer(damage: ["a", "b"]))
        == .problem("store", "/s is damaged: a (and 1 more)", "run `editlog verify`"))
    #expect(try await finding("store", StatusAnswer(quarantinedCount: 1)).state == .warning)
    #expect(
      try await finding("store")
        == .warning("store", "there is none at /s yet", "the first edit creates it"))
    #expect(try await finding("store", at: .socket("/r/s")).state == .warning)
    let damaged = ProtocolError(.damagedLog, "bad")
    #expect(
      try await finding("store", failing: damaged)
        == .problem("store", "bad", "run `editlog verify`"))
    let newer = ProtocolError(.newerFormat, "newer; update")
    #expect(try await finding("store", failing: newer) == .problem("store", "newer; update", nil))
  }

  @Test func `the daemon`() async throws {
    var status = StatusAnswer(daemon: Self.daemon)
    status.version = EditLogVersion.current
    #expect(
      try await finding("daemon", status)
        == .ok("daemon", "editlogd \(EditLogVersion.current) answers at /r/s"))
    status.version = "0.0.1"
    #expect(try await finding("daemon", status).state == .warning)
    let none = DoctorFinding.problem(
      "daemon", "no editlogd answers at /r/s", "start it with `editlogd &`")
    #expect(try await finding("daemon") == none)
    #expect(try await finding("daemon", StatusAnswer()) == none)
    #expect(try await finding("daemon", at: .store("/s")).state == .ok)
    let refused = ProtocolError(.notPermitted, "another user")
    #expect(try await finding("daemon", failing: refused).what == "another user")
    let silent = ProtocolError.unresponsive(socket: "/r/s", after: .seconds(2))
    let stopped = try await finding("daemon", failing: silent)
    #expect(stopped.what.hasPrefix("a daemon accepts connections at /r/s, and sends nothing"))
    #expect(stopped.remedy?.contains("start it with `editlogd &`") == true)
    #expect(try await finding("store", failing: silent).state == .warning)
    try write("", to: "etc/systemd/system/editlogd.service")
    #expect(try await finding("daemon") == none, "systemd does not run here")
    #expect(try await finding("unit").what.hasSuffix("and `editlogd &` starts the daemon"))
    try write("", to: "run/systemd/system/x")
    #expect(
      try await finding("daemon").remedy == "start it with `systemctl start editlogd.socket`")
    #expect(
      try await finding("daemon", failing: silent).remedy?.contains("`systemctl restart editlogd`")
        == true)
  }

  /// Neither after `su` nor in a container does a manager of the user run.
  @Test func `a unit of the user is started by its manager, if that runs`() async throws {
    try write("", to: "run/systemd/system/x")
    try write("", to: "home/.config/systemd/user/editlogd.service")
    #expect(try await finding("daemon").remedy == "start it with `editlogd &`")
    var machine = machine
    let (home, runtime) = (folder.path("home"), folder.path("runtime"))
    try write("", to: "runtime/systemd/x")
    machine.environment = { ["HOME": home, "PATH": "", "XDG_RUNTIME_DIR": runtime][$0] }
    #expect(
      try await finding("daemon", on: machine).remedy
        == "start it with `systemctl --user start editlogd.socket`")
  }

  @Test func `zsh finds the completions`() async throws {
    var machine = machine
    machine.zshFolders = { ["/usr/share/zsh/functions"] }
    func zsh() async throws -> DoctorFinding { try await finding("zsh", on: machine) }
    #expect(try await zsh() == .ok("zsh", "it is not installed"))
    for program in ["zsh", "editlog"] { try write("", to: "home/bin/\(program)", mode: 0o700) }
    #expect(try await zsh() == .ok("zsh", "no completions for it are installed"))
    let file = "home/share/zsh/site-functions"
    try write("x", to: "\(file)/_editlog")
    let missing = try await zsh()
    #expect(missing.state == .warning)
    #expect(
      missing.remedy
        == "add `fpath=(~/share/zsh/site-functions $fpath)` to ~/.zshrc, before compinit")
    let path = folder.path(file)
    machine.zshFolders = { ["/x", path] }
    #expect(try await zsh() == .ok("zsh", "it finds the completions in \(path)"))
    machine.zshFolders = { nil }
    try write("# fpath=(~/share/zsh/site-functions $fpath)\n", to: "home/.zshrc")
    #expect(try await zsh().state == .warning)
    try write("fpath=(~/share/zsh/site-functions $fpath)\ncompinit\n", to: "home/.zshrc")
    #expect(try await zsh().state == .ok)
  }

  @Test func `the unit and linger`() async throws {
    #expect(try await finding("unit").state == .ok)
    try write("", to: "run/systemd/system/x")
    #expect(try await finding("unit").state == .warning)
    #expect(try await finding("linger").what.hasPrefix("off: services of ada "))
    try write("", to: "var/lib/systemd/linger/ada")
    #expect(try await finding("linger").what.hasPrefix("on: "))
    let unit = "home/.config/systemd/user/editlogd.service"
    try write("[Service]\nExecStart=%h/bin/editlogd --x\n", to: unit)
    #expect(
      try await finding("unit")
        == .problem(
          "unit",
          "\(folder.path(unit)) starts \(folder.path("home/bin/editlogd")), which is no program",
          "install editlogd there, or correct ExecStart="))
    try write("", to: "home/bin/editlogd", mode: 0o700)
    #expect(
      try await finding("unit").remedy == "run `systemctl --user enable --now editlogd.service`")
    try write("", to: "home/.config/systemd/user/sockets.target.wants/editlogd.socket")
    #expect(
      try await finding("unit") == .ok("unit", "\(folder.path(unit)) is installed and enabled"))
  }

  @Test func `the settings`() async throws {
    var machine = machine
    #expect(try await finding("settings", on: machine).state == .warning)
    try write("", to: "home/bin/editlogd", mode: 0o700)
    let path = folder.path("home/bin/editlogd")
    #expect(
      try await finding("settings", on: machine)
        == .ok("settings", "\(path) finds no error in them"))
    machine.settingErrors = { $0 == [path] ? ["a", "b"] : nil }
    #expect(
      try await finding("settings", on: machine)
        == .problem("settings", "a (and 1 more)", "run `\(path) --check-config`"))
    machine.settingErrors = { _ in nil }
    #expect(try await finding("settings", on: machine).state == .warning)
    // Those of the unit, with its options.
    try write("ExecStart=-%h/x --config /c\n", to: "etc/systemd/system/editlogd.service")
    machine.settingErrors = { [$0.dropFirst().joined(separator: " ")] }
    #expect(
      try await finding("settings", on: machine)
        == .problem(
          "settings", "--config /c",
          "run `\(folder.path("home/x")) --config /c --check-config`"))
  }

  /// What a real program prints.
  @Test func `the errors of a program`() async throws {
    func check(_ command: [String], _ patience: Duration = .seconds(120)) async -> [String]? {
      await DoctorMachine.settingErrors(of: command, within: patience)
    }
    for (script, errors) in [
      ("exit 0", []), ("echo 'editlogd: error: x' >&2; echo y >&2; exit 78", ["x"]),
      ("exit 1", nil),
    ] as [(String, [String]?)] {
      try write("#!/bin/sh\n\(script)\n", to: "program", mode: 0o700)
      #expect(await check([folder.path("program")]) == errors)
    }
    #expect(await check([folder.path("none")]) == nil)
    try write("#!/bin/sh\nexec sleep 600\n", to: "program", mode: 0o700)
    #expect(await check([folder.path("program")], .milliseconds(100)) == nil)
  }

  @Test func `a unit of the system needs no linger`() async throws {
    try write("", to: "run/systemd/system/x")
    try write("", to: "etc/systemd/system/editlogd.service")
    #expect(try await finding("unit").remedy == "run `systemctl enable --now editlogd.service`")
    #expect(try await finding("linger").what.hasPrefix("not needed"))
    try write("", to: "etc/systemd/system/multi-user.target.wants/editlogd.service")
    #expect(try await finding("unit").state == .ok)
  }

  @Test func `the program for editors`() async throws {
    #expect(try await finding("editor").state == .problem)
    try write("", to: "home/bin/editlog")
    #expect(try await finding("editor").state == .problem)
    try write("", to: "home/bin/editlog", mode: 0o700)
    #expect(try await finding("editor").what.hasSuffix("it is \(folder.path("home/bin/editlog"))"))
  }

  @Test func `completions are those of this program`() async throws {
    func completions(on machine: DoctorMachine? = nil) async throws -> DoctorFinding {
      try await finding("shells", on: machine)
    }
    #expect(try await completions().what.hasPrefix("not looked for"))
    try write("", to: "home/bin/editlog", mode: 0o700)
    #expect(try await completions().what.contains("`Tools/install`"))
    var machine = machine
    machine.completionScript = { "script of \($0)" }
    let share = "home/share"
    try write("script of bash\n", to: "\(share)/bash-completion/completions/editlog")
    try write("script of fish\n", to: "\(share)/fish/vendor_completions.d/editlog.fish")
    let two = try await completions(on: machine)
    #expect(two == .ok("shells", "completions of this version: bash, fish"))
    for other in ["script of zsh", "script of zsh\n\n", "script of bash\n", ""] {
      try write(other, to: "\(share)/zsh/site-functions/_editlog")
      let old = try await completions(on: machine)
      #expect(old.state == .warning, "\(other)")
      #expect(old.what.contains("/zsh/site-functions/_editlog is not of editlog "), "\(old)")
      #expect(old.remedy?.contains("`editlog --generate-completion-script zsh`") == true, "\(old)")
    }
    // Debian's folder comes first.
    try write("script of zsh\n", to: "\(share)/zsh/vendor-completions/_editlog")
    #expect(
      try await completions(on: machine)
        == .ok("shells", "completions of this version: bash, zsh, fish"))
    // Through a link, as some have them in PATH.
    let link = folder.path("home/link")
    mkdir(link, 0o700)
    try #require(symlink(folder.path("home/bin/editlog"), link + "/editlog") == 0)
    let home = folder.path("home")
    machine.environment = { ["HOME": home, "PATH": link][$0] }
    #expect(
      try await completions(on: machine).what == "completions of this version: bash, zsh, fish")
    // A link in a folder bin to a program elsewhere.
    try #require(rename(folder.path("home/bin/editlog"), folder.path("home/built")) == 0)
    try #require(symlink(folder.path("home/built"), folder.path("home/bin/editlog")) == 0)
    machine.environment = { ["HOME": home, "PATH": home + "/bin"][$0] }
    #expect(
      try await completions(on: machine).what == "completions of this version: bash, zsh, fish")
  }

  /// What the program prints is what `doctor` compares with.
  @Test(arguments: ["bash", "zsh", "fish"])
  func `the program makes completions`(shell: String) throws {
    let script = DoctorMachine().completionScript(shell)
    #expect(script.contains("editlog") && script.contains("doctor"))
    do {
      _ = try EditLogCommand.parseAsRoot(["--generate-completion-script", shell])
      Issue.record("no script was asked for")
    } catch {
      let ending = BashCompletion.isAsked(["--generate-completion-script", shell])
      #expect(Ending(error).text + (ending ? BashCompletion.ending : "") == script)
    }
  }

  @Test func `the man page says its version`() async throws {
    #expect(try await finding("manual").what.hasPrefix("not looked for"))
    try write("", to: "home/bin/editlog", mode: 0o700)
    #expect(try await finding("manual").what.contains("`Tools/install`"))
    let current = EditLogVersion.current
    let page = "home/share/man/man1/editlog.1"
    for (text, state) in [
      (".\\\" made\n.TH EDITLOG 1 2026-11-26 \"EditLog \(current)\" \"EditLog\"\n", .ok),
      (".Dd x\n.Os EditLog \(current)\n", .ok),
      (".TH EDITLOG 1 2026-11-26 \"EditLog \(current)9\"\n\(current)\n", .warning),
      ("", .warning),
    ] as [(String, DoctorFinding.State)] {
      try write(text, to: page)
      #expect(try await finding("manual").state == state, "\(text)")
    }
    #expect(try await finding("manual").remedy == "install EditLog again")
    try #require(unlink(folder.path(page)) == 0)
    for (text, state) in [(".TH x 1 \(current)\n", .ok), (".TH x 1 0.0.1\n", .warning)]
      as [(String, DoctorFinding.State)]
    {
      try write(text, to: page)
      let packed = try #require(popen("gzip -nf '\(folder.path(page))'", "r"))
      #expect(pclose(packed) == 0)
      #expect(try await finding("manual").state == state, "\(text)")
    }
    try write("not gzip", to: page + ".gz")
    #expect(try await finding("manual").state == .warning)
  }

  @Test func `the folder of unsent edits`() async throws {
    #expect(try await finding("spool").what.hasSuffix("is created by the first editor"))
    try write("", to: "home/.local/state/editlog-spool/x")
    #expect(try await finding("spool").state == .ok)
    let path = folder.path("home/.local/state/editlog-spool")
    try #require(chmod(path, 0o755) == 0)
    #expect(try await finding("spool").state == .problem)
    try #require(rename(path, path + "2") == 0)
    try write("", to: "home/.local/state/editlog-spool")
    #expect(try await finding("spool").state == .problem)
    var homeless = machine
    homeless.environment = { _ in nil }
    #expect(try await finding("spool", on: homeless).state == .problem)
    #expect(try await finding("waiting", on: homeless).state == .ok)
  }

  @Test func `spools that were not logged as a whole are named`() async throws {
    try write("", to: "home/.local/state/editlog-spool/lsp-1.spool.damaged")
    try #require(chmod(folder.path("home/.local/state/editlog-spool"), 0o700) == 0)
    let finding = try await finding("waiting")
    #expect(finding.state == .warning)
    #expect(finding.what.hasPrefix("1 spool could not be logged as a whole"), "\(finding)")
    #expect(finding.remedy?.contains("then remove the file") == true)
  }

  @Test func `the disk`() async throws {
    var machine = machine
    for (free, state) in [
      (1 << 30, .ok), (1 << 30 - 1, .warning), (64 << 20, .warning), (64 << 20 - 1, .problem),
      (nil, .warning),
    ] as [(Int64?, DoctorFinding.State)] {
      machine.freeBytes = { _ in free }
      #expect(try await finding("disk", on: machine).state == state, "\(free ?? -1)")
    }
  }

  @Test func `the limits of inotify`() async throws {
    #expect(try await finding("inotify").state == .warning)
    try write("128\n", to: "proc/sys/fs/inotify/max_user_instances")
    try write("65536\n", to: "proc/sys/fs/inotify/max_user_watches")
    #expect(
      try await finding("inotify")
        == .ok("inotify", "this user can watch 65,536 files and folders, in 128 programs"))
    try write("8192\n", to: "proc/sys/fs/inotify/max_user_watches")
    #expect(
      try await finding("inotify").remedy
        == "raise it: `sudo sysctl fs.inotify.max_user_watches=524288`")
  }

  /// The exit status is 1 if there is a problem, and JSON has the same findings.
  @Test func `what is printed`() async throws {
    func run(
      _ arguments: [String], _ backend: any Backend
    ) async throws -> (String, Int32) {
      let bench = Bench(backend)
      do {
        try await DoctorCommand.parse(arguments).run(in: bench.session, machine: machine)
        return (bench.printed, 0)
      } catch let code as ExitCode { return (bench.printed, code.rawValue) }
    }
    let failing = CannedBackend(failing: ProtocolError(.unreachable, "none"))
    let (printed, exitCode) = try await run([], failing)
    #expect(exitCode == 1)
    let lines = printed.split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "warning store", "problem daemon", "ok names", "warning settings", "ok unit", "ok linger",
        "problem editor", "warning project", "ok shells", "ok zsh", "ok manual", "ok editors",
        "ok spool", "ok waiting", "ok disk", "warning inotify",
      ])
    #expect(
      lines[1]
        == "problem  daemon   no editlogd answers at /r/editlog/editlogd.sock; start it with `editlogd &`"
    )
    try write("", to: "home/bin/editlog", mode: 0o700)
    var status = StatusAnswer(daemon: Self.daemon)
    status.version = EditLogVersion.current
    let (json, good) = try await run(["--json"], CannedBackend(status))
    #expect(good == 0)
    let objects = try json.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
    #expect(objects.count == lines.count && objects.allSatisfy { $0["v"] == 1 })
    #expect(objects.last?["state"] == "warning")
    #expect(objects.last?["check"] == "inotify" && objects[0]["remedy"] == nil)
  }

  @Test func editorsThatDoNotStartTheBridgeAreNamed() async throws {
    #expect(try await finding("editors").state == .ok)
    try write("", to: "home/bin/nvim", mode: 0o700)
    try write("", to: "home/bin/hx", mode: 0o700)
    try write("require('other')", to: "home/.config/nvim/init.lua")
    let none = try await finding("editors")
    #expect(none.state == .warning && none.what.contains("Neovim, Helix"), "\(none)")
    #expect(none.remedy?.contains("Tools/editors/neovim") == true, "\(none)")
    try write("cmd = { 'editlog', 'lsp' }", to: "home/.config/nvim/lua/plugins/log.lua")
    let one = try await finding("editors")
    #expect(one.state == .ok && one.what == "configured: Neovim; not: Helix", "\(one)")
    // Where they are installed.
    try write("", to: "home/bin/editlog", mode: 0o700)
    try write("", to: "home/share/editlog/editors/helix/README.md")
    try write("", to: "home/.config/nvim/lua/plugins/log.lua")
    let installed = try await finding("editors")
    #expect(
      installed.remedy?.contains("follow \(folder.path("home"))/share/editlog/editors/neovim,")
        == true,
      "\(installed)")
    try write("cmd = { 'editlog', 'lsp' }", to: "home/.config/nvim/lua/plugins/log.lua")
    // A link to a folder above it is followed to a depth only.
    symlink(folder.path("home"), folder.path("home/.config/helix"))
    _ = try await finding("editors")
  }

  @Test func theProgramOfProjectIsLookedFor() async throws {
    let path = folder.path("home/bin/editlog-project")
    let missing = try await finding("project")
    #expect(missing.state == .warning && missing.what.hasPrefix("\(path) is missing"), "\(missing)")
    try write("", to: "home/bin/editlog-project", mode: 0o600)
    let locked = try await finding("project")
    #expect(
      locked.state == .warning && locked.what.hasPrefix("\(path) cannot be executed"), "\(locked)")
    try write("", to: "home/bin/editlog-project", mode: 0o700)
    #expect(try await finding("project") == .ok("project", "`editlog project` runs \(path)"))
  }

  @Test func aLowerLimitOfAContainerIsSaid() async throws {
    try write("1000000", to: "proc/sys/fs/inotify/max_user_watches")
    try write("128", to: "proc/sys/fs/inotify/max_user_instances")
    #expect(try await finding("inotify").state == .ok)
    try write("10", to: "proc/sys/user/max_inotify_watches")
    let low = try await finding("inotify")
    #expect(low.state == .warning && low.what.contains("10 files"), "\(low)")
  }
}
