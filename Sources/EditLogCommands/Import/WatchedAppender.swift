import EditModel
import EditProtocol
import Synchronization

extension Session {
  /// The backend's writer, which also prints the reason if it waits longer than `pause` for the
  /// daemon.
  func appender(
    waitsForEditors: Bool = false, pause: Duration = .seconds(1),
    report: @escaping AppendReport
  ) async throws -> any EditAppender {
    let progress = AppendProgress()
    let appender = try await backend.appender(waitsForEditors: waitsForEditors) { counter, result in
      progress.noteEnd()
      report(counter, result)
    }
    return WatchedAppender(appender, progress, self, waitsForEditors, pause)
  }
}

/// Counts the requests that were given to a writer, and those of them that ended.
private final class AppendProgress: Sendable {
  private let counts = Mutex((taken: 0, ended: 0))

  func noteTaken() { counts.withLock { $0.taken += 1 } }
  func noteEnd() { counts.withLock { $0.ended += 1 } }

  /// The number of requests that ended; nil if no request waits.
  var endedIfWaiting: Int? { counts.withLock { $0.ended < $0.taken ? $0.ended : nil } }
}

/// A writer that prints a note if no request has ended during a pause, and the daemon gives a
/// reason or cannot be reached.
private final class WatchedAppender: EditAppender {
  private let appender: any EditAppender
  private let progress: AppendProgress
  private let watch: Task<Void, Never>

  init(
    _ appender: any EditAppender, _ progress: AppendProgress, _ session: Session,
    _ waitsForEditors: Bool, _ pause: Duration
  ) {
    (self.appender, self.progress) = (appender, progress)
    watch = Task { await Self.watch(progress, session, waitsForEditors, pause) }
  }

  func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64 {
    progress.noteTaken()
    return try await appender.append(request)
  }

  func flush() async throws(ProtocolError) { try await appender.flush() }

  func close() async {
    watch.cancel()
    await appender.close()
  }

  private static func watch(
    _ progress: AppendProgress, _ session: Session, _ waitsForEditors: Bool, _ pause: Duration
  ) async {
    var last: Int?
    var saysWhy = false
    while (try? await Task.sleep(for: pause)) != nil {
      let ended = progress.endedIfWaiting
      if saysWhy, ended != last {
        session.interrupt("editlog: continuing")
        saysWhy = false
      }
      if !saysWhy, let ended, ended == last,
        let reason = await session.reasonToWait(waitsForEditors)
      {
        guard !Task.isCancelled, progress.endedIfWaiting == ended else { continue }
        session.interrupt("editlog: waiting: \(reason)")
        saysWhy = true
      }
      last = ended
    }
  }
}

extension Session {
  /// The reason why the daemon does not acknowledge; nil if it gives none.
  fileprivate func reasonToWait(_ waitsForEditors: Bool) async -> String? {
    do {
      let status = try await backend.ask(StatusRequest())
      return status.daemon?.shortage.map { Excerpt.line($0.message, width: nil) }
        ?? (waitsForEditors ? "an editor has the document open" : nil)
    } catch let error as ProtocolError where error.code == .unreachable {
      return error.message
    } catch { return nil }
  }

  /// Prints a line, after erasing the progress bar.
  fileprivate func interrupt(_ line: String) { note((isWatched ? "\r\u{1B}[K" : "") + line) }
}
