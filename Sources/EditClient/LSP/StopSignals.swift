import Dispatch
import Glibc

/// Handles the signals with which editors end their servers, and a terminal its programs, as long
/// as this object lives.
package final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  /// Calls `stop` for SIGHUP and SIGTERM, and for SIGINT if `interrupt` is true; otherwise SIGINT is
  /// ignored, because a key in the editor's terminal sends it to all its processes.
  package init(interrupt: Bool, _ stop: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "editlog.signals")
    // Writing to a closed pipe is an error of that write, not the end of the process.
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
