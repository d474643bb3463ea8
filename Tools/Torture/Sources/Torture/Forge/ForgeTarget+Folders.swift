import TestSupport

extension ForgeTarget {
  static let folders: [ForgeTarget] = [
    // What another moment had, whole: nothing in it contradicts itself.
    ForgeTarget(name: "older-copy") { store, random in
      let folder = "/store/documents/0000000000000000000\(1 + random.below(2))"
      return replacement("an older copy", of: folder, in: store) { path in
        SimulatedFileSystem(store.older)[path]
      }
    },
    ForgeTarget(name: "older-store") { store, random in
      let old = SimulatedFileSystem(store.older).files.filter { !$0.key.hasSuffix("/lock") }
      var files = store.files.mapValues { _ in [UInt8]?.none }
      for (path, bytes) in old { files[path] = bytes }
      return Forgery("an older copy of the store", files: files)
    },
    ForgeTarget(name: "folder-of-another-life") { store, random in
      let folder = "/store/documents/0000000000000000000\(1 + random.below(2))"
      return replacement("another life", of: folder, in: store) { store.otherLife[$0] }
    },
    ForgeTarget(name: "documents-swapped") { store, _ in
      var files = store.files.filter { $0.key.contains("/documents/") }
        .mapValues { _ in [UInt8]?.none }
      for (path, bytes) in store.files where path.contains("/documents/") {
        let isFirst = path.hasPrefix("/store/documents/00000000000000000001")
        let (old, new) = isFirst ? ("1", "2") : ("2", "1")
        guard let place = path.firstRange(of: "/0000000000000000000" + old) else { continue }
        let other = path.replacingCharacters(in: place, with: "/0000000000000000000" + new)
        var moved = numbered(bytes, as: isFirst ? 2 : 1)
        if path.hasSuffix(".segment"), var parts = SegmentParts(bytes) {
          parts.header = Array(moved[..<64])
          moved = parts.file
        }
        files[other] = moved
      }
      return Forgery("documents swapped", files: files, mustBeFound: true)
    },
  ]

  private static func replacement(
    _ what: String, of folder: String, in store: ForgeStore, _ new: (String) -> [UInt8]?
  ) -> Forgery {
    var files: [String: [UInt8]?] = [:]
    for path in store.files.keys where path.hasPrefix(folder) { files[path] = .some(new(path)) }
    return Forgery("\(what) of \(folder)", files: files)
  }
}

extension String {
  fileprivate func firstRange(of part: String) -> Range<Index>? {
    indices.lazy.filter { self[$0...].hasPrefix(part) }.first.map { start in
      start..<index(start, offsetBy: part.count)
    }
  }

  fileprivate func replacingCharacters(in range: Range<Index>, with part: String) -> String {
    String(self[..<range.lowerBound]) + part + String(self[range.upperBound...])
  }
}
