import EditLog
import EditModel
package import Logging
import Sandbox

/// What the daemon gives up after its settings are read: files other than its own, except to read those
/// of editors; new programs; networks; system calls that it does not need. So an error in it that input
/// can reach is of little use to whoever finds it.
package enum DaemonSandbox {
  /// Restricts this process for good, as far as the kernel can. Must be called before there is a second
  /// thread: one that exists already keeps its rights to files.
  ///
  /// The folders of store, spool and socket are created first, because only folders that exist can be
  /// allowed. If that fails, nothing is restricted, and the start fails with a better error.
  ///
  /// - Parameter settings: The path of the file of settings, which is read again.
  /// - Throws: `DaemonError.io`
  package static func enter(
    _ options: DaemonOptions, settings: String?, logger: Logger
  ) throws(DaemonError) {
    let socketFolder = SocketPath(path: options.socket).makeFolder()
    guard (try? PosixFileSystem().createDirectory(at: options.store)) != nil else { return }
    var rules = FileRules()
    rules.allow([.read, .write], at: options.store)
    rules.allow(.sockets, at: socketFolder)
    if !options.spool.isEmpty {
      _ = try? PosixFileSystem().createDirectory(at: options.spool)
      rules.allow([.read, .write], at: options.spool)
    }
    if !options.textFolder.isEmpty { rules.allow(.read, at: options.textFolder) }
    // Its folder, because editors replace the file.
    if let settings { rules.allow(.read, at: SocketPath.folder(of: settings)) }
    // The runtime counts processors there.
    for path in ["/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu"] {
      rules.allow(.read, at: path)
    }
    do throws(SandboxError) {
      if let gap = try rules.enter() {
        logger.warning("the daemon can open all files of this user: \(gap)")
      }
      if let gap = try CallFilter.enter() {
        logger.warning("the daemon can make all system calls that its starter allows: \(gap)")
      }
    } catch {
      throw .io(what: "enter the sandbox (--sandbox off starts without it)", errno: error.code)
    }
  }

  /// Makes sure that a crash leaves no text of a document: no core file, and no backtrace with memory,
  /// unless `SWIFT_BACKTRACE` asks for one.
  package static func keepCrashesPrivate() { CrashOutput.forbid() }
}
