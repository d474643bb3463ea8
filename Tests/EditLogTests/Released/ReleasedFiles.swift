import EditLog
import Foundation
import TestSupport

/// A format that was released.
enum ReleasedFormat: String, CaseIterable {
  case v1_0 = "v1"
  /// The one this code writes.
  case v1_1 = "v1.1"
}

/// The folders of released stores, and how a store becomes files in them and back.
///
///     v1/zstd             the version of libzstd that compressed them
///     v1/NAME/expected    what must be found in it: the lines of an `Expectation`
///     v1/NAME/store/      its files; folders without any are left out
enum ReleasedFiles {
  static func folder(_ format: ReleasedFormat) -> URL {
    Bundle.module.bundleURL
      .appending(path: "Fixtures/\(format.rawValue)", directoryHint: .isDirectory)
  }

  static func expectedLines(
    of recipe: StoreRecipe, _ format: ReleasedFormat = .v1_1
  ) throws -> [String] {
    try text("\(recipe)/expected", format).split(separator: "\n").map { String($0) }
  }

  /// The version of libzstd, as `ZSTD_versionNumber` gives it.
  static var zstdVersion: UInt32? {
    (try? text("zstd", .v1_1)).flatMap { UInt32($0.filter(\.isNumber)) }
  }

  private static func text(_ path: String, _ format: ReleasedFormat) throws -> String {
    try String(contentsOf: folder(format).appending(path: path), encoding: .utf8)
  }

  /// The files of a store by their paths.
  static func files(
    of recipe: StoreRecipe, _ format: ReleasedFormat = .v1_1
  ) throws -> [String: [UInt8]] {
    let root = folder(format).appending(path: "\(recipe)/store")
    var files: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let file = root.appending(path: path)
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        files[path] = [UInt8](try Data(contentsOf: file))
      }
    }
    return files
  }

  /// A disk with such a store.
  static func load(
    _ recipe: StoreRecipe, _ format: ReleasedFormat = .v1_1
  ) throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    for (path, bytes) in try files(of: recipe, format) {
      var directory = try system.createDirectory(at: "/store")
      let parts = path.split(separator: "/").map { String($0) }
      for part in parts.dropLast() { directory = try directory.createDirectory(part) }
      try directory.open(parts[parts.count - 1], .create).writeAll(bytes, at: 0)
    }
    // What git does not keep.
    for name in ["journal", "documents", "quarantine"] {
      _ = try system.createDirectory(at: "/store").createDirectory(name)
    }
    return SimulatedFileSystem(system.snapshot)
  }

  /// Writes a store and what is to be found in it below `folder`.
  static func write(_ store: ReleasedStore, _ recipe: StoreRecipe, below folder: URL) throws {
    let place = folder.appending(path: "\(recipe)")
    try? FileManager.default.removeItem(at: place)
    for (path, bytes) in store.system.files(below: "/store") {
      let file = place.appending(path: "store/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let lines = store.expected.lines.map { $0 + "\n" }.joined()
    try Data(lines.utf8).write(to: place.appending(path: "expected"))
  }
}

extension SimulatedFileSystem {
  /// All files below a folder by their paths from there.
  func files(below folder: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in names(at: folder) {
      if let bytes = self["\(folder)/\(name)"] {
        files[name] = bytes
      } else {
        for (path, bytes) in self.files(below: "\(folder)/\(name)") {
          files["\(name)/\(path)"] = bytes
        }
      }
    }
    return files
  }
}
