import Dispatch
import Glibc

/// Takes the signals by which editors end their servers, and the terminal ends us, for as long
/// as this object lives.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  /// Calls `stop` for SIGHUP and SIGTERM, and for SIGINT where `interrupt` is true; otherwise
  /// SIGINT is ignored, which is what a key in the editor's terminal sends to all its processes.
  init(interrupt: Bool, _ stop: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "editlog.lsp.signals")
    // A closed pipe is an error of the write, not the end.
    for number in [SIGPIPE, SIGHUP, SIGTERM, SIGINT] { signal(number, SIG_IGN) }
    sources = ([SIGHUP, SIGTERM] + (interrupt ? [SIGINT] : [])).map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: stop)
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
