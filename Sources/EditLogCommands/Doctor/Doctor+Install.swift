import EditModel
import Glibc

// What is installed beside the program: completions of shells, man pages, instructions for editors.
extension Doctor {
  /// The folder that holds `bin`, with the program in it, and `share`; nil if the program that a shell
  /// would run is in another folder. If the program is a link, the file that it leads to counts first.
  var prefix: String? {
    guard let program = machine.program("editlog"), let path = realpath(program, nil) else {
      return nil
    }
    defer { free(path) }
    let end = "/bin/editlog"
    let found = [String(cString: path), program].first { $0.hasSuffix(end) }
    return found.map { String($0.dropLast(end.count)) }
  }

  /// The folder with a folder of instructions for each editor.
  var editorInstructions: String {
    let installed = prefix.map { $0 + "/share/editlog/editors" }
    return installed.flatMap { machine.exists($0) ? $0.shown : nil } ?? "Tools/editors"
  }

  /// The files of `share` with the completions of a shell, the first of which is used.
  private static let completionFiles = [
    ("bash", ["bash-completion/completions/editlog"]),
    ("zsh", ["zsh/vendor-completions/_editlog", "zsh/site-functions/_editlog"]),
    ("fish", ["fish/vendor_completions.d/editlog.fish"]),
  ]

  /// Whether the shells' completions are those that this program makes.
  var completions: DoctorFinding {
    guard let prefix else { return Self.notBeside("shells") }
    var shells: [String] = []
    for (shell, names) in Self.completionFiles {
      let paths = names.map { "\(prefix)/share/\($0)" }
      guard let path = paths.first(where: machine.exists) else { continue }
      // The program prints it with a line break at its end.
      let script = Array((machine.completionScript(shell) + "\n").utf8)
      guard machine.bytes(path, sizeMax: script.count + 1) == script else {
        return .warning(
          "shells", "\(path.shown) is not of editlog \(EditLogVersion.current)",
          "install EditLog again, or run `editlog --generate-completion-script \(shell)` into it")
      }
      shells.append(shell)
    }
    return shells.isEmpty
      ? .ok(
        "shells", "no completions are below \(prefix.shown)/share; `Tools/install` installs them")
      : .ok("shells", "completions of this version: \(shells.joined(separator: ", "))")
  }

  /// Whether zsh looks for completions where they are installed.
  var zsh: DoctorFinding {
    get async {
      guard machine.program("zsh") != nil else { return .ok("zsh", "it is not installed") }
      guard let prefix,
        let file = Self.completionFiles.first(where: { $0.0 == "zsh" })?.1
          .first(where: { machine.exists("\(prefix)/share/\($0)") })
      else { return .ok("zsh", "no completions for it are installed") }
      let name = "share/" + file.dropLast("/_editlog".count)
      let folder = "\(prefix)/\(name)"
      let folders = await machine.zshFolders()
      if folders?.contains(folder) == true || startsWith(folderNamed: name) {
        return .ok("zsh", "it finds the completions in \(folder.shown)")
      }
      let home = machine.environment("HOME").map { $0 + "/" }
      let short = home.flatMap { folder.hasPrefix($0) ? "~/" + folder.dropFirst($0.count) : nil }
      return .warning(
        "zsh", "it does not look for completions in \(folder.shown)",
        "add `fpath=(\(short ?? folder.shellWord) $fpath)` to ~/.zshrc, before compinit")
    }
  }

  /// True if a file that zsh reads at its start sets `fpath` with a folder of this name. The file is not
  /// run: it may do anything.
  private func startsWith(folderNamed name: String) -> Bool {
    guard let folder = machine.environment("ZDOTDIR") ?? machine.environment("HOME") else {
      return false
    }
    return [".zshenv", ".zshrc"].contains { file in
      (machine.text("\(folder)/\(file)") ?? "").split(separator: "\n").contains {
        !$0.hasPrefix("#") && $0.contains("fpath") && $0.contains(name)
      }
    }
  }

  /// Whether the man page says the version of this program.
  var manual: DoctorFinding {
    guard let prefix else { return Self.notBeside("manual") }
    let folder = "\(prefix)/share/man/man1"
    let paths = ["\(folder)/editlog.1", "\(folder)/editlog.1.gz"]
    guard let path = paths.first(where: machine.exists) else {
      return .ok("manual", "no page is in \(folder.shown); `Tools/install` installs them")
    }
    let page = machine.page(path) ?? ""
    let says = page.split(whereSeparator: \.isNewline).contains { line in
      // The lines with the version, of man(7) and of mdoc(7).
      (line.hasPrefix(".TH ") || line.hasPrefix(".Os "))
        && line.split(whereSeparator: { " \"".contains($0) }).contains(
          Substring(EditLogVersion.current))
    }
    return says
      ? .ok("manual", "\(path.shown) is of this version")
      : .warning(
        "manual", "\(path.shown) is not of editlog \(EditLogVersion.current)",
        "install EditLog again")
  }

  private static func notBeside(_ check: String) -> DoctorFinding {
    .ok(check, "not looked for: the editlog that a shell runs is in no folder named bin")
  }
}
