import ArgumentParser
import DaemonProgram
import EditLogCommands
import Glibc

/// The program `editlog`, and under the name `editlogd` the daemon.
@main
enum Program {
  static func main() async {
    // The daemon runs on the main thread from here on, and nothing else waits for that.
    guard !isNamed("editlogd") else { return DaemonCommand.main() }
    await EditLogTool.main()
  }

  /// True if the last component of the path that the process was started with is `name`.
  private static func isNamed(_ name: String) -> Bool {
    guard let path = CommandLine.unsafeArgv[0] else { return false }
    let last = strrchr(path, Int32(UInt8(ascii: "/"))).map { $0 + 1 } ?? path
    return strcmp(last, name) == 0
  }
}
