import ArgumentParser
import Glibc

/// Why a run ended before its time.
struct Failure: Error {
  let what: String

  init(_ what: String) { self.what = what }

  /// The failure of a system call.
  static func system(_ what: String) -> Failure {
    Failure("\(what): \(String(cString: strerror(errno)))")
  }

  /// The message on standard error, and the exit status.
  var exit: ExitCode {
    let line = "load: \(what)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    return ExitCode(69)
  }
}
