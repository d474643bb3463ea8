import EditModel
import Glibc

/// The places that decide what a path leads to. If nothing changes there, it leads to the same file.
struct PathPlaces: Equatable {
  /// A name in a folder, whose path has no links.
  struct Place: Equatable {
    var folder: String
    var name: String

    static func == (left: Self, right: Self) -> Bool {
      left.folder.isExactly(right.folder) && left.name.isExactly(right.name)
    }
  }

  /// The folders on the way. If one is moved, the path leads elsewhere.
  private(set) var folders: [String] = []
  /// The links on the way, and the first part that is missing, unless it is the last. If one is replaced or
  /// made, the path leads elsewhere.
  private(set) var links: [Place] = []
  /// The file or folder that the path leads to, which may be missing. Nil if a folder on the way is, or if the
  /// path leads to `/`.
  private(set) var end: Place?

  static func == (left: Self, right: Self) -> Bool {
    left.links == right.links && left.end == right.end
      && left.folders.elementsEqual(right.folders) { $0.isExactly($1) }
  }

  /// The number of links that Linux follows in one path.
  private static let linkCountMax = 40

  /// Follows an absolute path. O(parts).
  init(_ path: String) {
    var folder = "/"
    var rest = Self.parts(path)
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        folder = folder.parentPath
        continue
      }
      let (place, here) = (Place(folder: folder, name: name), folder.appending(path: name))
      var status = stat()
      guard lstat(here, &status) == 0 else {
        if rest.isEmpty { end = place } else { links.append(place) }
        return
      }
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        links.append(place)
        guard links.count <= Self.linkCountMax, let target = Self.target(of: here) else { return }
        if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
        rest += Self.parts(target)
      case S_IFDIR:
        if !rest.isEmpty { folders.append(here) }
        folder = here
      default:
        if rest.isEmpty { end = place } else { links.append(place) }
        return
      }
    }
    if folder != "/" { end = Place(folder: folder.parentPath, name: folder.lastName) }
  }

  /// The parts of a path, the last first.
  private static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
  }

  /// Where a link leads; nil if it is no link any more, or its target is not UTF-8.
  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(readlink(link, &buffer, buffer.count), 0)
    let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }
}
