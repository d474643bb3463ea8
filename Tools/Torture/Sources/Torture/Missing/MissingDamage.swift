import EditLog
import EditModel
import TestSupport

/// One way in which a file or a folder of a store is not what it was.
struct MissingDamage: CustomStringConvertible {
  enum Kind {
    case absent
    case empty
    /// Cut to this many bytes.
    case cut(Int)
    /// As it was at the moment of this number.
    case older(Int)
    /// It and the other have each other's place.
    case swapped(with: String)
    /// A first segment is in both of its places, in the other one with this many bytes.
    case doubled(Int)
  }

  let path: String
  let kind: Kind
  let isFolder: Bool

  var description: String { "\(path.dropFirst(7)): \(kind)" }

  private static let sectorSize = 512

  // MARK: Choosing

  /// A random damage of what is on the disk; `moments` are those from which there may be copies,
  /// the last of them the one at which the case began.
  static func random(
    _ disk: SimulatedFileSystem, _ moments: ArraySlice<MissingStore.Moment>,
    _ random: inout SplitMix64
  ) -> MissingDamage? {
    let isFolder = random.below(6) == 0
    let paths = isFolder ? folders(disk) : files(disk)
    // Kind by kind: there are many segments, and one catalog.
    guard let kind = random.pick(Set(paths.map(Self.kind)).sorted()),
      let path = random.pick(paths.filter { Self.kind(of: $0) == kind })
    else { return nil }
    var kinds: [Kind] = path == "/store" ? [] : [.absent, .empty]
    if !isFolder, let size = disk[path]?.count, size > 1 {
      kinds.append(.cut(random.below((size - 1) / sectorSize + 1) * sectorSize))
      if let other = otherPlace(of: path), disk[other] == nil {
        kinds.append(.doubled(random.below(2) == 0 ? size : random.below(size)))
      }
      // Between two sectors, too.
      if random.below(4) == 0 { kinds.append(.cut(1 + random.below(size - 1))) }
    }
    let content = content(of: path, disk.files)
    let older = moments.indices.filter { index in
      let old = Self.content(of: path, moments[index].files)
      return old != content && !old.isEmpty && (path != "/store" || moments[index].mayBeHit)
    }
    if let moment = random.pick(older) { kinds.append(.older(moment)) }
    if let place = paths.firstIndex(of: path), place + 1 < paths.count,
      Self.kind(of: paths[place + 1]) == kind
    {
      kinds.append(.swapped(with: paths[place + 1]))
    }
    return random.pick(kinds).map { MissingDamage(path: path, kind: $0, isFolder: isFolder) }
  }

  private static func files(_ disk: SimulatedFileSystem) -> [String] {
    disk.filePaths.filter { $0.hasPrefix("/store/") }
  }

  private static func folders(_ disk: SimulatedFileSystem) -> [String] {
    ["/store", "/store/journal", "/store/documents"]
      + disk.names(at: "/store/documents").filter { !$0.contains(".") }
      .map { "/store/documents/\($0)" }
  }

  /// The ending of a file's name, the whole name if it has none; for a folder of a document the
  /// folder around it.
  private static func kind(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    if let dot = last.lastIndex(of: ".") { return String(last[dot...]) }
    return last.utf8.first.map { (0x30...0x39).contains($0) } == true ? "document" : String(last)
  }

  /// The place beside the folder of a first segment that is in it, or the one in the folder; nil
  /// for other files.
  private static func otherPlace(of path: String) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    let first = "00000000000000000001.segment"
    guard parts.count >= 3, parts[1] == "documents", parts[2].count >= 20 else { return nil }
    let lone = "/store/documents/\(parts[2].prefix(20)).segment"
    let inFolder = "/store/documents/\(parts[2].prefix(20))/\(first)"
    return path == lone ? inFolder : path == inFolder ? lone : nil
  }

  /// The files at and below a path.
  private static func content(
    of path: String, _ files: [String: [UInt8]]
  ) -> [String: [UInt8]] {
    files.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
  }

  // MARK: Doing it

  func apply(to disk: SimulatedFileSystem, _ moments: [MissingStore.Moment]) throws {
    switch kind {
    case .absent: try remove(disk)
    case .empty where !isFolder: disk[path] = []
    case .empty: for file in Self.content(of: path, disk.files).keys { disk[file] = nil }
    case .cut(let size): disk[path] = Array((disk[path] ?? []).prefix(size))
    case .doubled(let size):
      guard let other = Self.otherPlace(of: path) else { return }
      try Self.makeFolder(of: other, disk)
      disk[other] = Array((disk[path] ?? []).prefix(size))
    case .older(let moment):
      for file in Self.content(of: path, disk.files).keys { disk[file] = nil }
      for (file, bytes) in Self.content(of: path, moments[moment].files) {
        try Self.makeFolder(of: file, disk)
        disk[file] = bytes
      }
    case .swapped(let other):
      let folder = try disk.directory(at: Self.folder(of: path))
      let second = try disk.directory(at: Self.folder(of: other))
      try folder.rename(Self.last(path), to: "aside", in: folder)
      try second.rename(Self.last(other), to: Self.last(path), in: folder)
      try folder.rename("aside", to: Self.last(other), in: second)
    }
  }

  private func remove(_ disk: SimulatedFileSystem) throws {
    if isFolder {
      let folder = try disk.directory(at: Self.folder(of: path))
      try folder.remove(Self.last(path))
      try folder.sync()
    } else {
      disk[path] = nil
    }
  }

  private static func makeFolder(of file: String, _ disk: SimulatedFileSystem) throws {
    let path = folder(of: file)
    guard path != "/store", (try? disk.directory(at: path)) == nil else { return }
    try makeFolder(of: path, disk)
    _ = try disk.createDirectory(at: path)
  }

  private static func last(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  private static func folder(of path: String) -> String {
    "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }
}
