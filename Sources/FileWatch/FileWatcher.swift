package import EditModel
import Glibc
import Synchronization

/// Follows files and folders, and says which files have changed and are settled. It has no thread: the
/// caller waits, and a wait costs nothing until there is a change.
package final class FileWatcher: Sendable {
  /// How long a file that is written in place must not have changed before it is due.
  package static let settleTime = Duration.nanoseconds(FileContent.settleNanoseconds)
  /// How long after its first change a file is due that changes all the time.
  package static let settleTimeMax = Duration.seconds(2)

  /// A file that is due.
  package struct File: Hashable, Sendable {
    package var path: String
    /// The path that it had before, if it was renamed.
    package var oldPath: String?
    /// True if it came whole under its path by a rename, so that it is read without a pause.
    package var isWhole = false
    /// True if it changes all the time, so that it is read although it has just changed.
    package var isBusy = false
    /// True if it was made while its folder was watched, and not renamed to its path: it may be a temporary
    /// file that gets its name later.
    package var isNew = false
  }

  private struct State {
    var tree: FolderTree
    var inotify: Inotify?
  }
  private let state: Mutex<State>
  private let roots: Set<ExactString>
  /// Ends a wait.
  private let wakes: WakePipe

  /// A watcher of the files and folders at the absolute paths `roots`, which does not watch yet. The file
  /// `excludesFile` has the user's rules for all working trees of Git.
  ///
  /// - Throws: if the process may open no more files.
  package convenience init(
    roots: [String], _ filter: WatchFilter = WatchFilter(), excludesFile: String? = nil
  ) throws(SystemError) {
    try self.init(FolderTree(roots: roots, filter, excludesFile: excludesFile))
  }

  init(_ tree: sending FolderTree) throws(SystemError) {
    roots = tree.roots
    wakes = try WakePipe()
    state = Mutex(State(tree: tree))
  }

  /// Scans all paths, again if they were scanned before: all files count as changed and are due, but
  /// those in the folders `avoided`. If `watching` is false, later changes are not seen. O(files).
  ///
  /// - Throws: if the system refuses another inotify.
  package func scan(
    watching: Bool = true, avoiding avoided: Set<ExactString> = []
  ) throws(SystemError) {
    let inotify = watching ? try Inotify() : nil
    state.withLock { state in
      state.inotify = inotify
      state.tree.start(inotify, avoiding: avoided)
    }
  }

  /// Blocks the thread until something changes, until `wake` is called, or until `deadline`; then reads
  /// the changes. A `scan` meanwhile ends only a later wait.
  package func wait(until deadline: ContinuousClock.Instant?) {
    let inotify = state.withLock { $0.inotify }
    wakes.wait(orFor: inotify?.descriptor, until: deadline)
    state.withLock { $0.tree.readEvents() }
  }

  /// Ends the wait that is under way, or the next one.
  package func wake() { wakes.wake() }

  /// Takes the files that are due, sorted by path; and returns when the next is due, if there are more.
  package func takeDue(
    at now: ContinuousClock.Instant = .now
  ) -> (files: [File], next: ContinuousClock.Instant?) {
    state.withLock { $0.tree.changes.takeDue(now) }
  }

  /// The content of a watched file, as `FileContent`. Below the path given that it is in, no part of its
  /// path may be a symbolic link, so that nothing outside is read. If it is a path given, links are followed.
  /// O(n).
  package func content(
    of path: String, sizeMax: Int, waits: Bool = true, encoding: TextEncoding? = nil
  ) -> FileContent {
    let isRoot = roots.contains(path)
    return FileContent(
      path: isRoot ? path.withoutLinks ?? path : path, in: root(of: path), sizeMax: sizeMax,
      waits: waits, encoding: encoding)
  }

  /// The innermost of the paths given that a watched file is in; nil if it is one itself.
  package func root(of path: String) -> String? { WatchedRoots.root(of: path, in: roots) }

  /// The path of a watched file without symbolic links; nil if there is none. Below the path given there are
  /// no links: if a folder was just replaced by one, this is still the name of what `content` has read.
  package func realPath(of path: String) -> String? {
    if roots.contains(path) { return path.withoutLinks }
    guard let root = root(of: path), let relative = path.relative(to: root) else { return nil }
    return root.withoutLinks?.appending(path: String(relative))
  }

  /// When the next file is due; nil if there is none. O(changed files).
  package var nextDue: ContinuousClock.Instant? { state.withLock { $0.tree.changes.nextDue } }

  /// Makes a file due again after `time`, or after its next change if that is sooner.
  package func putBack(_ file: File, after time: Duration) {
    state.withLock { $0.tree.changes.putBack(file.path, file.oldPath, due: .now + time) }
  }

  /// What was found in the watched folders and is not watched: names that are not UTF-8, and symbolic links.
  /// O(folders with some).
  package var skippedCounts: (names: Int, links: Int) { state.withLock { $0.tree.skippedCounts } }

  /// Takes the notes. After `eventsLost`, `scan` must be called.
  package func takeNotes() -> [TreeNote] {
    state.withLock { state in
      (state.tree.hasLostEvents ? [.eventsLost] : []) + state.tree.changes.takeNotes()
    }
  }
}

/// A pipe of which a byte ends a wait.
private final class WakePipe: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  func wake() {
    var byte: UInt8 = 1
    // If the pipe is full, the wait ends anyway.
    _ = write(writing, &byte, 1)
  }

  /// Returns after a wake, when `descriptor` can be read, or at `deadline`.
  func wait(orFor descriptor: Int32?, until deadline: ContinuousClock.Instant?) {
    var states = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      // A negative descriptor is ignored.
      pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    repeat {
      guard poll(&states, 2, Self.milliseconds(until: deadline)) < 0 else { break }
    } while errno == EINTR
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while read(reading, &bytes, bytes.count) > 0 {}
  }

  /// The time to `deadline`, rounded up. -1 without a deadline.
  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now) / .milliseconds(1)
    return Int32(min(max(left, 0), Double(Int32.max - 1)).rounded(.up))
  }
}
