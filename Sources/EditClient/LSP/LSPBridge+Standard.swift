public import EditProtocol
import Glibc

extension LSPBridge {
  /// Runs a bridge on standard input and output, with its own messages on standard error. Handles
  /// SIGHUP, SIGTERM, SIGPIPE and SIGINT for the whole process from now on; SIGINT ends the bridge
  /// only if input is a terminal.
  ///
  /// - Throws: as `run()`; `internalError` if the process may open no more files.
  public static func runOnStandardStreams(
    _ configuration: Configuration
  ) async throws(ProtocolError) -> End {
    guard let input = DescriptorInput(STDIN_FILENO) else {
      throw ProtocolError(.internalError, "this process may open no more files")
    }
    var generator = SystemRandomNumberGenerator()
    let bridge = LSPBridge(
      configuration, input: input, output: DescriptorOutput(STDOUT_FILENO), using: &generator
    ) { line in
      var bytes = Array("editlog lsp: \(line)\n".utf8)
      _ = bytes.withUnsafeMutableBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
    let signals = StopSignals(interrupt: isatty(STDIN_FILENO) == 1) { input.stop() }
    defer { withExtendedLifetime(signals) {} }
    return try await bridge.run()
  }
}
