import TestSupport

extension ForgeTarget {
  static let catalogs: [ForgeTarget] = [
    document("catalog-name", mustBeFound: true) { document, _ in document.name += [0x66] },
    // Each shows the other's text.
    catalog("names-exchanged", mustBeFound: true) { parts, _, _ in
      let places = parts.newest.prefix(2)
      guard let first = places.first, let second = places.dropFirst().first,
        var one = parts.entries[first.entry][first.record].document,
        var other = parts.entries[second.entry][second.record].document
      else { return [:] }
      (one.name, other.name) = (other.name, one.name)
      parts.entries[first.entry][first.record] = .document(one)
      parts.entries[second.entry][second.record] = .document(other)
      return [:]
    },
    document("catalog-journal-newer", mustBeFound: true) { document, random in
      document.journal += UInt64(1 + random.below(1_000))
    },
    document("catalog-head", mustBeFound: true) { document, random in
      document.head[random.below(32)] ^= 1
    },
    document("catalog-end-higher", mustBeFound: true) { document, random in
      document.lastIndex += UInt64(1 + random.below(4))
      document.lastSequence += UInt64(random.below(2))
    },
    // Segments may hold more than is listed.
    document("catalog-end-lower") { document, random in
      document.lastIndex -= min(document.lastIndex, UInt64(1 + random.below(4)))
      document.lastSequence -= min(document.lastSequence, UInt64(random.below(4)))
    },
    document("catalog-numbers") { document, random in
      let value = UInt64(random.below(60))
      switch random.below(4) {
      case 0: document.journal = value
      case 1: document.flags ^= 2
      default:
        guard let segment = random.pick(Array(document.segments.indices)) else { return }
        document.segments[segment][random.below(3)] = value
      }
    },
    document("catalog-times") { document, random in
      random.change(&document.times, in: document.times.indices)
    },
    catalog("catalog-row-gone") { parts, _, random in
      guard let place = random.pick(parts.newest) else { return [:] }
      return remove(parts.entries[place.entry][place.record].document?.number, from: &parts)
    },
    // Another name, in the footers of its segments too.
    catalog("name") { parts, store, random in
      guard let place = random.pick(parts.newest),
        var document = parts.entries[place.entry][place.record].document
      else { return [:] }
      document.name = [UInt8](repeating: 0x71, count: document.name.count)
      parts.entries[place.entry][place.record] = .document(document)
      let folder = "/0000000000000000000\(document.number)/"
      var files: [String: [UInt8]?] = [:]
      for path in store.paths(".segment") where path.contains(folder) {
        guard var segment = store.files[path].flatMap({ SegmentParts($0) }) else { continue }
        segment[7] = [UInt8(document.name.count)] + document.name
        files[path] = .some(segment.file)
      }
      return files
    },
    // With its folder: a document that never was.
    catalog("catalog-row-gone-with-its-folder") { parts, store, random in
      guard let place = random.pick(parts.newest),
        let number = parts.entries[place.entry][place.record].document?.number
      else { return [:] }
      let files = store.files.keys.filter { $0.contains("/0000000000000000000\(number)/") }
      let gone = Dictionary(uniqueKeysWithValues: files.map { ($0, [UInt8]?.none) })
      return remove(number, from: &parts).merging(gone) { $1 }
    },
    catalog("catalog-rewritten") { parts, _, _ in
      let newest = parts.newest.map { parts.entries[$0.entry][$0.record] }
      parts.entries = [newest]
      parts.header.put(UInt64(parts.header.number(at: 40, size: 8) + 1), at: 40, size: 8)
      return [:]
    },
    catalog("catalog-older") { parts, _, random in
      parts.entries.removeLast(1 + random.below(parts.entries.count))
      return [:]
    },
    // What the older catalog says, and nothing that came after.
    catalog("catalog-older-with-folders") { parts, store, random in
      parts.entries.removeLast(1 + random.below(parts.entries.count))
      let old = SimulatedFileSystem(store.older).files
      let paths = store.files.keys.filter { $0.contains("/documents/") }
      return Dictionary(uniqueKeysWithValues: paths.map { ($0, old[$0]) })
    },
    ForgeTarget(name: "catalog-bytes") { store, random in
      guard var bytes = store.files[CatalogParts.path] else { return nil }
      random.change(&bytes, in: 0..<bytes.count)
      return Forgery("a byte", CatalogParts.path, bytes, mustBeFound: true)
    },
    ForgeTarget(name: "catalog-gone") { _, _ in
      Forgery("all", CatalogParts.path, nil, mustBeFound: true)
    },
    mark("mark-number") { mark, random in
      let field = random.pick(MarkParts.Field.allCases) ?? .batch
      mark[field] = UInt64(random.below(60))
    },
    mark("mark-slots") { mark, random in
      mark[.batch] = UInt64(random.below(40))
      mark.copyToOtherSlot()
    },
    mark("mark-hash", mustBeFound: true) { mark, random in mark.hash[random.below(32)] ^= 1 },
    ForgeTarget(name: "mark-older") { store, _ in
      Forgery("an older copy", MarkParts.path, SimulatedFileSystem(store.older)[MarkParts.path])
    },
    // A right mark, of what the catalog was.
    catalog("mark-of-an-older-catalog", keepsCatalog: true) { parts, _, random in
      parts.entries.removeLast(random.below(parts.entries.count))
      return [:]
    },
  ]

  private static func remove(
    _ number: UInt64?, from parts: inout CatalogParts
  ) -> [String: [UInt8]?] {
    for entry in parts.entries.indices {
      parts.entries[entry].removeAll { $0.document?.number == number }
    }
    return [:]
  }

  private static func mark(
    _ name: String, mustBeFound: Bool = false,
    _ change: @escaping @Sendable (inout MarkParts, inout SplitMix64) -> Void
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      guard var mark = MarkParts(store) else { return nil }
      change(&mark, &random)
      return Forgery(name, MarkParts.path, mark.file, mustBeFound: mustBeFound)
    }
  }

  /// A change of what the catalog says last of a document.
  private static func document(
    _ name: String, mustBeFound: Bool = false,
    _ change: @escaping @Sendable (inout CatalogParts.Document, inout SplitMix64) -> Void
  ) -> ForgeTarget {
    catalog(name, mustBeFound: mustBeFound) { parts, _, random in
      guard let place = random.pick(parts.newest),
        var document = parts.entries[place.entry][place.record].document
      else { return [:] }
      change(&document, &random)
      parts.entries[place.entry][place.record] = .document(document)
      return [:]
    }
  }

  /// A change of the catalog, and what files beside. The mark is made to fit.
  private static func catalog(
    _ name: String, mustBeFound: Bool = false, keepsCatalog: Bool = false,
    _ change:
      @escaping @Sendable (inout CatalogParts, ForgeStore, inout SplitMix64) -> [String: [UInt8]?]
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      guard var parts = store.files[CatalogParts.path].flatMap({ CatalogParts($0) }),
        !parts.entries.isEmpty, var mark = MarkParts(store)
      else { return nil }
      var files = change(&parts, store, &random)
      let (bytes, hash) = parts.file
      mark[.generation] = UInt64(parts.header.number(at: 40, size: 8))
      mark[.size] = UInt64(bytes.count)
      mark.hash = hash
      if !keepsCatalog { files[CatalogParts.path] = .some(bytes) }
      files[MarkParts.path] = .some(mark.file)
      return Forgery(name, files: files, mustBeFound: mustBeFound)
    }
  }
}
