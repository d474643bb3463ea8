import Dispatch
import Synchronization

/// Follows files and folders, and says which files have changed and are settled. Between changes, it
/// costs nothing.
package final class FileWatcher: Sendable {
  /// How long a file must not have changed before it is due.
  package static let settleTime = Duration.nanoseconds(FileContent.settleNanoseconds)
  /// How long after its first change a file is due that changes all the time.
  package static let settleTimeMax = Duration.seconds(2)

  /// A file that is due.
  package struct File: Hashable, Sendable {
    package var path: String
    /// The path that it had before, if it was renamed.
    package var oldPath: String?
  }

  private struct State {
    var tree: FolderTree
    var source: (any DispatchSourceRead)?
  }
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "editlog.watch")
  /// One element after changes; at most one waits.
  package let wakes: AsyncStream<Void>
  private let wakeContinuation: AsyncStream<Void>.Continuation

  /// A watcher of the files and folders at the absolute paths `roots`, which does not watch yet.
  package convenience init(roots: [String], _ filter: WatchFilter = WatchFilter()) {
    self.init(FolderTree(roots: roots, filter))
  }

  init(_ tree: sending FolderTree) {
    state = Mutex(State(tree: tree))
    (wakes, wakeContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { state.withLock { $0.source?.cancel() } }

  /// Scans all paths, again if they were scanned before: all files count as changed and are due, but
  /// those in the folders `avoided`. If `watching` is false, later changes are not seen. Returns the
  /// number of folders. O(files).
  ///
  /// - Throws: if the system refuses another inotify.
  @discardableResult
  package func scan(
    watching: Bool = true, avoiding avoided: Set<String> = []
  ) throws(SystemError) -> Int {
    let inotify = watching ? try Inotify() : nil
    return state.withLock { state in
      state.source?.cancel()
      state.source = inotify.map(source)
      state.tree.start(inotify, avoiding: avoided)
      state.source?.resume()
      return state.tree.folderCount
    }
  }

  private func source(_ inotify: Inotify) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.takeEvents() }
    // The descriptor is closed after the last use by the source.
    source.setCancelHandler { withExtendedLifetime(inotify) {} }
    return source
  }

  private func takeEvents() {
    state.withLock { $0.tree.readEvents() }
    wake()
  }

  /// Makes `wakes` return an element.
  package func wake() { wakeContinuation.yield() }

  /// Takes the files that are due, sorted by path; and returns when the next is due, if there are more.
  package func takeDue(
    at now: ContinuousClock.Instant = .now
  ) -> (files: [File], next: ContinuousClock.Instant?) {
    state.withLock { state in
      let (files, next) = state.tree.changes.takeDue(now)
      return (files.map { File(path: $0.path, oldPath: $0.oldPath) }, next)
    }
  }

  /// Makes a file due again after `time`, or after its next change if that is sooner.
  package func putBack(_ file: File, after time: Duration) {
    state.withLock { $0.tree.changes.putBack(file.path, file.oldPath, due: .now + time) }
    // Another `takeDue` says when it is due.
    wake()
  }

  /// Takes the notes. After `eventsLost`, `scan` must be called.
  package func takeNotes() -> [TreeNote] {
    state.withLock { state in
      (state.tree.hasLostEvents ? [.eventsLost] : []) + state.tree.changes.takeNotes()
    }
  }
}
