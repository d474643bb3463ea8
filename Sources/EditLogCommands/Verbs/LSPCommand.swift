import ArgumentParser
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
    let path =
      socket ?? Terminal.environment("EDITLOG_SOCKET")
      ?? Location.defaultSocket(Terminal.environment)
    try await runBridge(socket: path)
  }
}

// To be replaced by the bridge.

/// Carries what the editor sends to the daemon at `socket`, until the editor ends.
func runBridge(socket: String) async throws {
  throw ProtocolError(.unreachable, "the bridge to \(socket) is not part of this build")
}
