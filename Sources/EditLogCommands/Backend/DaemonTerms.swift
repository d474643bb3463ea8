import EditClient
import EditModel
import EditProtocol
import Glibc
import Synchronization

/// The terms on which a verb asks a daemon.
struct DaemonTerms: Sendable {
  /// How long it waits for a daemon that sends nothing.
  var silence = SilenceLimits()
  /// The store that the daemon must serve; nil if none is named.
  var store: NamedStore?

  /// These terms, without a note of what is waited for.
  var quiet: DaemonTerms { DaemonTerms(silence: silence.quiet, store: store) }

  /// A connection to the daemon at a socket.
  ///
  /// - Throws: as `EditLogClient.connect` and `NamedStore.check`.
  func connect(to socket: String) async throws(ProtocolError) -> EditLogClient {
    var options = EditLogClient.Options()
    options.silence = silence
    let client = try await EditLogClient.connect(to: socket, options: options)
    do throws(ProtocolError) { try await store?.check(client, at: socket) } catch {
      await client.close()
      throw error
    }
    return client
  }
}

extension SilenceLimits {
  /// Limits of `time` that say on standard error, once for all connections, what is waited for.
  static func saying(_ time: Duration, _ note: @escaping @Sendable (String) -> Void) -> Self {
    let isSaid = Flag()
    return SilenceLimits(silenceMax: time, noteDelay: min(.seconds(2), time / 2)) { socket in
      guard !areNotesHeld.load(ordering: .relaxed),
        !isSaid.value.exchange(true, ordering: .relaxed)
      else { return }
      note("waiting for the daemon at \(socket.shown), which has not answered yet")
    }
  }

  private final class Flag: Sendable { let value = Atomic(false) }

  /// True while a screen is drawn, which a line on standard error would spoil.
  static let areNotesHeld = Atomic(false)
}
