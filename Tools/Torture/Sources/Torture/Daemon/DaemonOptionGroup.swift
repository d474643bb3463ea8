import ArgumentParser
import Glibc

/// Where the daemon is that is run.
struct DaemonOptionGroup: ParsableArguments {
  @Option(help: "The editlogd to run. Tools/torture builds one for release.")
  var daemon: String =
    getenv("EDITLOG_TORTURE_DAEMON").map { String(cString: $0) }
    ?? ".build/release/editlogd"

  func validate() throws {
    guard access(daemon, X_OK) == 0 else {
      throw ValidationError("there is no program at \(daemon): give --daemon")
    }
  }
}
