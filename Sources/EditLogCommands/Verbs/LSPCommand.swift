import ArgumentParser
import EditClient
import EditProtocol

struct LSPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Connect an editor to the daemon: a language server on standard input and output.",
    discussion: """
      Configure it as a language server in the editor, for every file. It sends each edit to the \
      daemon, and keeps edits on disk while no daemon runs. It offers no completion, no \
      diagnostics and no other feature that could slow the editor or get in the way.
      """)

  @Option(
    help: ArgumentHelp(
      "The daemon's socket. (default: \(StandardPlaces.socketDefault))", valueName: "path"),
    completion: .file())
  var socket: String?
  // Some editors always pass it to a language server.
  @Flag(help: "Use standard input and output (the default, and the only way).") var stdio = false

  func run() async throws {
    let places = StandardPlaces()
    guard let spool = places.spool else {
      throw CommandError.usage("there is no folder for edits that wait: set EDITLOG_SPOOL or HOME")
    }
    let end = try await LSPBridge.runOnStandardStreams(
      LSPBridge.Configuration(socketPath: socket ?? places.socket, spoolDirectory: spool))
    if end.exitStatus != 0 { throw ExitCode(end.exitStatus) }
  }
}
