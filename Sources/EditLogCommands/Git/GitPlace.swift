import EditModel
import Glibc
import SystemPackage

/// Where the files of a user's repository are, and which commit is checked out. Nothing else is asked in it.
struct GitPlace {
  /// The folder of the objects.
  let objects: FilePath
  /// The hash of the commit that HEAD names; nil if it names none.
  let head: String?
  /// The file that lists where a shallow history begins; nil if the history is whole.
  let shallow: [UInt8]?
  /// The path from the top of the repository to the folder that it was looked for from: empty, or with a
  /// slash at its end.
  let prefix: [UInt8]

  private static let patience = Duration.seconds(20)
  private static let shallowSizeMax = 16 << 20

  /// Finds the repository that a folder is in.
  ///
  /// - Throws: `CommandError` if there is none, or it belongs to another user whom this one does not trust.
  init(of directory: String) async throws {
    let (folder, missing) = Self.resolved(directory)
    let top = Self.top(of: folder) ?? folder
    let parts = FilePath(bytes: Array(folder.bytes.dropFirst(top.bytes.count))).components + missing
    prefix = parts.isEmpty ? [] : FilePath(root: nil, parts).bytes + [UInt8(ascii: "/")]
    var git = Git(in: top)
    var path = try await git.run(["rev-parse", "--git-path", "objects"], patience: Self.patience)
    if !path.isSuccess, path.message.contains("dubious ownership") {
      git = Git(in: top, trusted: try await Git.trustedFolders())
      path = try await git.run(["rev-parse", "--git-path", "objects"], patience: Self.patience)
    }
    guard path.isSuccess else { throw CommandError.data("git says: \(path.message)") }
    objects = top.pushing(FilePath(bytes: path.line))
    path = try await git.run(["rev-parse", "--git-path", "shallow"], patience: Self.patience)
    shallow = try Self.contents(of: top.pushing(FilePath(bytes: path.line)))
    let name = try await git.run(
      ["rev-parse", "--verify", "--quiet", "HEAD"], patience: Self.patience)
    head = name.isSuccess ? String(decoding: name.line, as: UTF8.self) : nil
  }

  /// The path of a folder without symbolic links. If it is gone, that of the nearest one above it that is there,
  /// and the names from there.
  private static func resolved(
    _ directory: String
  ) -> (folder: FilePath, missing: [FilePath.Component]) {
    var (path, missing) = (FilePath(directory), [FilePath.Component]())
    while true {
      let there = path.isEmpty ? "." : path
      if let resolved = there.withPlatformString({ realpath($0, nil) }) {
        defer { free(resolved) }
        return (FilePath(platformString: resolved), missing)
      }
      guard let last = path.lastComponent, last.kind == .regular else {
        return (FilePath(directory), [])
      }
      missing.insert(last, at: 0)
      path.removeLastComponent()
    }
  }

  /// The nearest folder that has a repository in `.git`, or the file `.git` of a linked one. Nil if there is
  /// none; then the folder may be a bare repository. `core.worktree` is not asked: it may name a folder with
  /// other files of the same names.
  private static func top(of folder: FilePath) -> FilePath? {
    var top = folder
    repeat {
      switch kind(of: top.appending(".git")) {
      case S_IFREG: return top
      case S_IFDIR where kind(of: top.appending(".git").appending("HEAD")) != nil: return top
      default: break
      }
    } while top.removeLastComponent()
    return nil
  }

  private static func kind(of path: FilePath) -> mode_t? {
    var info = stat()
    return path.withPlatformString { stat($0, &info) } == 0 ? info.st_mode & S_IFMT : nil
  }

  /// The contents of the list of a shallow history; nil if there is none.
  private static func contents(of path: FilePath) throws(CommandError) -> [UInt8]? {
    let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var (contents, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return contents.isEmpty ? nil : contents }
      contents += part.prefix(count)
      guard contents.count <= shallowSizeMax else {
        throw .data("the repository's file shallow has more than \(shallowSizeMax >> 20) MB")
      }
    }
  }
}

extension FilePath {
  /// A path of these bytes, up to the first NUL.
  init(bytes: [UInt8]) {
    self.init(platformString: bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0])
  }

  /// The bytes of the path.
  var bytes: [UInt8] {
    withPlatformString { start in
      UnsafeBufferPointer(start: start, count: strlen(start)).map { UInt8(bitPattern: $0) }
    }
  }
}
