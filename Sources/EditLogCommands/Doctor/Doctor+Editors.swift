import Glibc

/// An editor that `doctor` knows: its programs, and where its configuration may name `editlog`.
private struct KnownEditor {
  let name: String
  let programs: [String]
  /// Files and folders, relative to the user's home folder.
  let places: [String]
  /// The folder with its instructions.
  let instructions: String

  static let all = [
    KnownEditor(
      name: "Neovim", programs: ["nvim"], places: [".config/nvim", ".local/share/nvim/site"],
      instructions: "neovim"),
    KnownEditor(
      name: "Vim", programs: ["vim"], places: [".vimrc", ".vim", ".config/vim"],
      instructions: "vim-ale or vim-lsp"),
    KnownEditor(
      name: "Emacs", programs: ["emacs"],
      places: [".emacs", ".emacs.el", ".emacs.d", ".config/emacs"],
      instructions: "emacs-eglot or emacs-lsp-mode"),
    KnownEditor(
      name: "Helix", programs: ["hx", "helix"], places: [".config/helix"], instructions: "helix"),
    KnownEditor(
      name: "Kate", programs: ["kate"], places: [".config/kate"], instructions: "kate"),
    KnownEditor(
      name: "Sublime Text", programs: ["subl", "sublime_text"],
      places: [".config/sublime-text/Packages/User"], instructions: "sublime-text"),
    KnownEditor(
      name: "Zed", programs: ["zed", "zeditor"], places: [".config/zed"], instructions: "zed"),
    KnownEditor(
      name: "VS Code", programs: ["code", "codium"],
      places: [".vscode/extensions", ".vscode-oss/extensions"], instructions: "vscode"),
  ]
}

extension Doctor {
  /// Whether the editors of this user start `editlog lsp`, as far as their configuration shows it.
  var editors: DoctorFinding {
    guard let home = machine.environment("HOME") else {
      return .warning("editors", "not known, because HOME is not set", "set HOME")
    }
    let installed = KnownEditor.all.filter { editor in
      editor.programs.contains { machine.program($0) != nil }
    }
    guard !installed.isEmpty else {
      return .ok("editors", "none of the editors that this program knows is on PATH")
    }
    var search = TextSearch("editlog")
    let (found, missing) = installed.reduce(into: ([KnownEditor](), [KnownEditor]())) {
      let places = $1.places
      if places.contains(where: { search.finds(at: home + "/" + $0) }) {
        $0.0.append($1)
      } else {
        $0.1.append($1)
      }
    }
    let names = { (editors: [KnownEditor]) in editors.map(\.name).joined(separator: ", ") }
    guard found.isEmpty else {
      return .ok(
        "editors",
        "configured: \(names(found))" + (missing.isEmpty ? "" : "; not: \(names(missing))"))
    }
    return .warning(
      "editors", "no configuration of \(names(missing)) names editlog",
      "follow \(editorInstructions)/\(missing[0].instructions), or run `editlog watch FOLDER`")
  }
}

/// Searches the beginnings of files for a word, in folders to a depth, up to a number of files in all.
private struct TextSearch {
  private static let (depthMax, sizeMax) = (6, 256 << 10)
  private let word: [UInt8]
  private var fileCount = 2_000

  init(_ word: String) { self.word = Array(word.utf8) }

  mutating func finds(at path: String, depth: Int = 0) -> Bool {
    var info = stat()
    guard fileCount > 0, stat(path, &info) == 0 else { return false }
    fileCount -= 1
    switch info.st_mode & S_IFMT {
    case S_IFREG: return holds(path)
    case S_IFDIR where depth < Self.depthMax:
      return names(in: path).contains { finds(at: path + "/" + $0, depth: depth + 1) }
    default: return false
    }
  }

  /// The names in a folder, in the order of their bytes. An extension of VS Code is found by its name.
  private func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != "..", name != ".git" { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func holds(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.sizeMax)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 && bytes[..<count].firstRange(of: word) != nil
  }
}
