import Dispatch
import Glibc

/// The changes of a terminal's size (SIGWINCH), as long as it is kept.
final class TerminalResizes: Sendable {
  /// One element when the signal handler is installed, because the size may have changed before, and one after
  /// each change or burst of changes.
  let stream: AsyncStream<Void>
  // Safe: a source of Dispatch may be used from any thread, and this one is only cancelled.
  private nonisolated(unsafe) let source: any DispatchSourceSignal

  /// Begins to listen. The usual action of the signal, which is none, stays.
  init() {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    source = DispatchSource.makeSignalSource(signal: SIGWINCH)
    source.setRegistrationHandler { continuation.yield() }
    source.setEventHandler { continuation.yield() }
    source.setCancelHandler { continuation.finish() }
    source.resume()
  }

  deinit { source.cancel() }
}
