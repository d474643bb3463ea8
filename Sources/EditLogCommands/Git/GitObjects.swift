import EditModel
import Glibc
import SystemPackage

/// The objects of a user's repository, read without its settings.
///
/// A repository may come from anyone, and its settings name programs that git runs. So git is only asked in
/// it where its files are (`GitPlace`). Everything else is asked in a repository in a temporary folder, which
/// has settings of its own, and whose folder of objects is a link to the user's. This one has no remotes, so
/// nothing is fetched, and no hooks, filters, attributes, grafts and replaced objects.
final class GitObjects {
  let place: GitPlace
  let git: Git
  private let folder: String
  /// Where the history ends before its beginning, a hash a line.
  private var shallow: [UInt8]

  /// Reads the objects.
  var reader: GitObjectReader { GitObjectReader(git) }

  /// The objects of the repository that a folder is in.
  ///
  /// - Throws: `CommandError`.
  init(of directory: String) async throws {
    place = try await GitPlace(of: directory)
    let parent = Terminal.environment("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/editlog-git-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandError(
        exitCode: 73,
        "cannot create a folder in \(parent.shown): \(String(cString: strerror(errno))); set TMPDIR"
      )
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    git = Git(repository: folder)
    shallow = place.shallow ?? []
    do throws(CommandError) { try fill() } catch {
      remove()
      throw error
    }
  }

  deinit { remove() }

  private func fill() throws(CommandError) {
    // Hashes of SHA-256 have 64 digits.
    let isLong = place.head?.utf8.count == 64
    let settings = """
      [core]
      	repositoryformatversion = \(isLong ? 1 : 0)
      	bare = true
      \(isLong ? "[extensions]\n\tobjectformat = sha256" : "")
      """
    try write(Array("ref: refs/heads/none\n".utf8), "HEAD")
    try write(Array(settings.utf8), "config")
    if !shallow.isEmpty { try write(shallow, "shallow") }
    let isMade =
      mkdir(folder + "/refs", 0o700) == 0
      && place.objects.withPlatformString { symlink($0, folder + "/objects") } == 0
    guard isMade else { throw failure() }
  }

  /// Ends the history at a commit, as if it had no parents: the repository does not have them.
  func cut(at commit: String) throws(CommandError) {
    shallow += Array((commit + "\n").utf8)
    unlink(folder + "/shallow")
    try write(shallow, "shallow")
  }

  private func write(_ bytes: [UInt8], _ name: String) throws(CommandError) {
    let file = open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw failure() }
  }

  private func failure() -> CommandError {
    .io("cannot write in \(folder.shown): \(String(cString: strerror(errno)))")
  }

  private func remove() {
    for name in ["HEAD", "config", "shallow", "objects"] { unlink(folder + "/" + name) }
    rmdir(folder + "/refs")
    rmdir(folder)
  }
}
