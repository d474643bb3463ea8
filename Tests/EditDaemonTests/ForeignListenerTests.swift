import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

/// A program of another user that listens where clients look for a daemon gets no byte.
@Suite(.timeLimit(.minutes(10))) struct ForeignListenerTests {
  private static let canPlayOthers =
    geteuid() == 0
    && ["perl", "setpriv"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }

  /// Listens, and writes what a connection sends to standard output until its end. It asks an editor to
  /// make an edit, before it is asked for anything.
  private static let listener = """
    use Socket; $| = 1; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; bind($s, sockaddr_un($ARGV[0])) or die;
    listen($s, 5) or die; chmod 0666, $ARGV[0]; open(my $ready, '>', $ARGV[1]); close($ready);
    while (accept(my $c, $s)) {
      my $body = '{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{}}';
      $SIG{PIPE} = 'IGNORE';
      syswrite($c, "Content-Length: " . length($body) . "\\r\\n\\r\\n" . $body);
      while (sysread($c, my $part, 10000)) { print $part }
      close($c);
    }
    """

  @Test(.enabled("root can play other users") { canPlayOthers })
  func `nothing is sent to another user`() async throws {
    let folder = TemporaryFolder()
    let shared = folder.path("shared")
    try #require(mkdir(shared, 0o777) == 0)
    for path in [folder.path, shared] { chmod(path, 0o777) }
    let (socket, ready) = (shared + "/s", shared + "/ready")
    let editlog = try ChildDaemon.program("editlog")
    let heard = try await Subprocess.run(
      .name("setpriv"),
      arguments: [
        "--reuid=1234", "--regid=1234", "--clear-groups", "/usr/bin/perl", "-e", Self.listener,
        socket,
        ready,
      ], input: .none, output: .string(limit: 1 << 16), error: .discarded
    ) { execution in
      defer { kill(execution.processIdentifier.value, SIGKILL) }
      try await until { access(ready, F_OK) == 0 }
      let error = await #expect(throws: ProtocolError.self) {
        _ = try await EditLogClient.connect(to: socket)
      }
      #expect(error?.code == .notPermitted)
      #expect(error?.message.contains("is of user 1234") == true)
      let appending = await #expect(throws: ProtocolError.self) {
        _ = try await ResilientAppender.connect(to: socket, session: SessionID.newRun(of: "test"))
      }
      #expect(appending?.code == .notPermitted)
      try DiskFile.replace(folder.path("a.md"), with: Array("secret".utf8))
      for verb in [["documents"], ["watch", "--once", folder.path("a.md")], ["mark", "a", "m"]] {
        let result = try await Subprocess.run(
          .name("env"),
          arguments: Arguments(
            [editlog] + verb.prefix(1) + ["--socket", socket] + verb.dropFirst()),
          input: .none, output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
        #expect(result.terminationStatus == .exited(77), "\(verb): \(result.standardError)")
        #expect(result.standardError.contains("user 1234"), "\(result.standardError)")
      }
      let messages = [
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x","#
          + #""languageId":"","version":1,"text":"secret"}}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#, #"{"jsonrpc":"2.0","method":"exit"}"#,
      ].map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
      let bridge = try await Subprocess.run(
        .name("env"),
        arguments: Arguments([
          "EDITLOG_SPOOL=" + folder.path("spool"), editlog, "lsp", "--socket", socket,
        ]), input: .string(messages), output: .string(limit: 1 << 16),
        error: .string(limit: 1 << 16))
      #expect(!bridge.standardOutput.contains("applyEdit"))
      #expect(bridge.standardError.contains("is of user 1234"), "\(bridge.standardError)")
      #expect(bridge.standardError.contains("edits are kept in "), "\(bridge.standardError)")
    }
    #expect(heard.standardOutput == "")
  }
}
