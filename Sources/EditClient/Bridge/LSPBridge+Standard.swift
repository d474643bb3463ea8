public import EditProtocol
import Glibc

extension LSPBridge {
  /// Runs a bridge on standard input and output, with lines about itself on standard error. Takes
  /// SIGHUP, SIGTERM, SIGPIPE and, where input is no terminal, SIGINT for the whole process, for
  /// good.
  ///
  /// - Throws: as `run()`; `internalError` where the process has no descriptors left.
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
