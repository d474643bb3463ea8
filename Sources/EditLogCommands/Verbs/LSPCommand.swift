import ArgumentParser
import EditClient
import EditProtocol

struct LSPCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Connect an editor to the daemon: a language server on standard input and output.",
    discussion: withExamples(
      """
      Configure it as a language server in the editor, for every file. It sends each edit to the \
      daemon, and keeps edits on disk while no daemon runs, or while it sends nothing for --timeout \
      seconds. Standard error says so, and the first time after 2 s what it waits for. It has no other features, such as \
      completion or diagnostics.
      """))

  static let examples = [
    Example("editlog lsp", "what an editor runs as its language server"),
    Example("editlog lsp --author ann", "the same; the edits are those of ann"),
  ]

  @Option(
    help: ArgumentHelp(
      "The daemon's socket. (default: \(StandardPlaces.socketDefault))", valueName: "path"),
    completion: .file())
  var socket: String?
  @OptionGroup var waiting: TimeoutOption
  @OptionGroup var author: DefaultAuthorOption
  // Some editors always pass this flag to a language server.
  @Flag(help: "Use standard input and output; this is always so.") var stdio = false

  func run() async throws {
    let places = StandardPlaces()
    guard let spool = places.spool else {
      throw CommandError.usage("no folder for unsent edits: set EDITLOG_SPOOL or HOME")
    }
    var configuration = LSPBridge.Configuration(
      socketPath: socket ?? places.socket, spoolDirectory: spool)
    configuration.silence = waiting.silence
    if let store = NamedStore() {
      let (socket, silence) = (configuration.socketPath, configuration.silence.quiet)
      try await Self.refuseOther(store, at: socket)
      configuration.store = store.path
      configuration.check = { () async throws(ProtocolError) in
        try await store.check(at: socket, silence)
      }
    }
    configuration.editor = ThisProcess.parent
    configuration.author = try Author().resolved(author.name)
    let end = try await LSPBridge.runOnStandardStreams(configuration)
    if end.exitStatus != 0 { throw ExitCode(end.exitStatus) }
  }

  /// Ends the program if a daemon of another store answers within a second. Later it would be too late to
  /// tell the user.
  private static func refuseOther(
    _ store: NamedStore, at socket: String
  ) async throws(ProtocolError) {
    do throws(ProtocolError) {
      try await store.check(at: socket, SilenceLimits(silenceMax: .seconds(1)))
    } catch  where error.code == .invalidParams {
      throw error
    } catch {
      // Without a daemon, edits are kept until one runs.
    }
  }
}
