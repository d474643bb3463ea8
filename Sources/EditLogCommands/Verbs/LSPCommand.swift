import ArgumentParser
import EditClient
import EditProtocol

struct LSPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Connect an editor to the daemon: a language server on standard input and output.",
    discussion: """
      Start it from the editor, for every file. It offers nothing that slows or disturbs; it \
      only tells the daemon what is edited, and keeps edits on disk while the daemon is away.
      """)

  @Option(
    help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
  var socket: String?
  // Some editors always pass it to a language server.
  @Flag(help: "Speak on standard input and output; this is always so.") var stdio = false

  func run() async throws {
    let places = StandardPlaces()
    guard let spool = places.spool else {
      throw CommandError.usage("no folder for the spool: set EDITLOG_SPOOL or HOME")
    }
    let end = try await LSPBridge.runOnStandardStreams(
      LSPBridge.Configuration(socketPath: socket ?? places.socket, spoolDirectory: spool))
    if end.exitStatus != 0 { throw ExitCode(end.exitStatus) }
  }
}
