import CLinux
import Glibc

/// What a program may do with files, by Landlock: see landlock(7). Files that are open already are not
/// concerned, nor are the names and properties of files, which stat(2) shows.
package struct FileRules: Sendable {
  /// What may be done beneath a folder, or to a file.
  package struct Access: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    // The rights of linux/landlock.h, of which older headers lack some.
    private static let execute = Access(rawValue: 1 << 0)
    private static let writeFile = Access(rawValue: 1 << 1)
    private static let readFile = Access(rawValue: 1 << 2)
    private static let readFolder = Access(rawValue: 1 << 3)
    private static let removeFolder = Access(rawValue: 1 << 4)
    private static let removeFile = Access(rawValue: 1 << 5)
    private static let makeFolder = Access(rawValue: 1 << 7)
    private static let makeFile = Access(rawValue: 1 << 8)
    private static let makeSocket = Access(rawValue: 1 << 9)
    /// Rename or link from one folder to another; since version 2.
    private static let moveFile = Access(rawValue: 1 << 13)
    /// Since version 3; before, it is part of writing.
    fileprivate static let truncate = Access(rawValue: 1 << 14)

    /// Read files and list folders.
    package static let read: Access = [readFile, readFolder]
    /// Create, write, rename and remove files and folders.
    package static let write: Access = [
      writeFile, truncate, removeFile, removeFolder, makeFile, makeFolder, moveFile,
    ]
    /// Create and remove sockets.
    package static let sockets: Access = [makeSocket, removeFile]

    /// All rights of version 3, also those to make devices, pipes and links, which nothing here allows.
    fileprivate static let all = Access(rawValue: (1 << 15) - 1)
    /// The rights to files that are no folders.
    fileprivate static let ofFiles: Access = [execute, writeFile, readFile, truncate]
  }

  /// `O_PATH` of open(2), which the C library shows only to GNU programs.
  private static let pathOnly: Int32 = 0o10_000_000
  private var allowed: [(path: String, access: Access)] = []

  /// Rules that allow nothing.
  package init() {}

  /// Allows `access` beneath the folder, or to the file, at `path`. It counts as it is when `enter` is
  /// called; if there is nothing at the path then, the rule has no effect.
  package mutating func allow(_ access: Access, at path: String) {
    allowed.append((path, access))
  }

  /// The system calls of Landlock, in the order in which `enter` makes them.
  package static let calls = [
    "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
  ]

  /// Restricts this thread, and the threads and processes that it creates, for good.
  ///
  /// - Returns: Why it is not possible here: then nothing is restricted. Nil if it is done.
  /// - Throws: `SandboxError`; then nothing is restricted.
  package func enter() throws(SandboxError) -> SandboxGap? {
    do throws(SandboxError) { return try restrict() } catch {
      guard let gap = SandboxGap(landlock: error) else { throw error }
      return gap
    }
  }

  private func restrict() throws(SandboxError) -> SandboxGap? {
    let version = linux_landlock_version()
    guard version >= 0 else { throw SandboxError(call: Self.calls[0], code: errno) }
    guard version >= 2 else { return .oldLandlock(version: version) }
    let handled = version >= 3 ? Access.all : Access.all.subtracting(.truncate)
    // As the struct of linux/landlock.h. Its second member, rights to listen and to connect by TCP, is
    // there since version 4.
    let attributes: [UInt64] = version >= 4 ? [handled.rawValue, 0b11] : [handled.rawValue]
    let rules = attributes.withUnsafeBytes { linux_landlock_create($0.baseAddress, $0.count) }
    guard rules >= 0 else { throw SandboxError(call: Self.calls[0], code: errno) }
    defer { close(rules) }
    for (path, access) in allowed {
      try add(access.intersection(handled), at: path, to: rules)
    }
    guard linux_no_new_privileges() == 0 else { throw SandboxError(call: "prctl", code: errno) }
    guard linux_landlock_restrict(rules) == 0 else {
      throw SandboxError(call: Self.calls[2], code: errno)
    }
    return nil
  }

  private func add(_ access: Access, at path: String, to rules: Int32) throws(SandboxError) {
    let descriptor = open(path, Self.pathOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var info = stat()
    let isFolder = fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    var rule = landlock_path_beneath_attr()
    rule.parent_fd = descriptor
    rule.allowed_access = (isFolder ? access : access.intersection(.ofFiles)).rawValue
    guard linux_landlock_allow(rules, &rule) == 0 else {
      throw SandboxError(call: Self.calls[1], code: errno)
    }
  }
}
