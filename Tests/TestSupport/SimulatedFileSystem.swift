public import EditLog
import Glibc
import Synchronization

/// A disk with a volatile cache, in memory.
///
/// The fault model is the weakest that file systems are known to keep. What was not synced may be
/// lost, kept, or torn when the machine stops: each write on its own, in sectors of 512 bytes;
/// each change of a file's size; each name made, removed or changed, in any combination. A rename
/// is one change, also between two directories. A file's bytes are durable after its own sync,
/// its name after its directory's.
public final class SimulatedFileSystem: FileSystem {
  /// What becomes of unsynced changes when the machine stops.
  public enum Loss: Hashable, Sendable {
    case all
    case none
    /// Each change, and each sector of each write, is kept or lost by this seed.
    case some(seed: UInt64)
    /// Each change in the order of `Snapshot.pending`; those that are not listed are lost.
    case each([Survival])
  }

  /// The state of the disk at a moment, cache included.
  public struct Snapshot: Sendable {
    let world: SimulatedWorld

    /// What no flush has made durable, in the order it was done.
    public var pending: [PendingChange] { world.pending }
    /// A hash of all names and bytes as they are read. O(bytes).
    public var digest: UInt64 { world.digest }
  }

  let world: Mutex<SimulatedWorld>

  /// An empty disk.
  public init() { world = Mutex(SimulatedWorld()) }
  /// The disk of a snapshot, as it is read while the machine runs on.
  public init(_ snapshot: Snapshot) {
    var copy = snapshot.world
    copy.locks = [:]
    world = Mutex(copy)
  }

  /// The disk as it is now.
  public var snapshot: Snapshot { Snapshot(world: world.withLock { $0 }) }

  /// What a machine finds after it stopped at `snapshot`.
  public static func crash(_ snapshot: Snapshot, _ loss: Loss) -> SimulatedFileSystem {
    SimulatedFileSystem(Snapshot(world: snapshot.world.crashed(loss)))
  }

  /// The bytes of the file at a path; nil if there is none. Setting them creates the file if its
  /// folder exists; setting nil removes it. For tests that damage files.
  public subscript(path: String) -> [UInt8]? {
    get {
      world.withLock { world in world.find(path).flatMap { world.files[$0]?.bytes } }
    }
    set { world.withLock { $0.put(newValue, at: path) } }
  }

  /// The bytes of all files by their paths.
  public var files: [String: [UInt8]] {
    world.withLock { world in
      Dictionary(
        world.filePaths.map { path in
          (path, world.find(path).flatMap { world.files[$0]?.bytes } ?? [])
        }, uniquingKeysWith: { $1 })
    }
  }

  /// The bytes of all files there ever were, as they are and as a crash would leave them, those
  /// without a name too: where a disk may still have them.
  public var rawBytes: [[UInt8]] {
    world.withLock { $0.files.compactMap(\.self).flatMap { [$0.bytes, $0.durable] } }
  }

  /// What a failed flush of every file leaves: unsynced bytes are still read, are thought to be
  /// written, and are not on the disk.
  public func dropPendingBytes() {
    world.withLock { world in
      for node in world.files.indices { world.files[node]?.pending = [] }
    }
  }

  /// The names in a directory by its path.
  public func names(at path: String) -> [String] {
    world.withLock { world in
      world.find(path).flatMap { world.directories[$0]?.names.keys.sorted() } ?? []
    }
  }

  /// The paths of all files, in ascending order.
  public var filePaths: [String] { world.withLock { $0.filePaths } }

  /// Opens a directory.
  public func directory(at path: String) throws(LogError) -> any Directory {
    let node = try world.withLock { world throws(LogError) in
      guard let node = world.find(path) else {
        throw .io(operation: "open", path: path, errno: ENOENT)
      }
      return node
    }
    return SimulatedDirectory(self, node, path)
  }

  /// Makes a directory, durably, and opens it.
  public func createDirectory(at path: String) throws(LogError) -> any Directory {
    world.withLock { world in
      guard world.find(path) == nil else { return }
      let (parent, name) = world.parent(of: path)
      guard let parent else { return }
      world.link(name, to: world.newDirectory(), in: parent)
      world.syncDirectory(parent)
    }
    return try directory(at: path)
  }
}
