import EditLog
import EditModel
import TestSupport

extension ForgeTarget {
  static let segments: [ForgeTarget] = [
    segment("segment-header") { parts, _, random in
      random.change(&parts.header, in: 8..<60)
      return false
    },
    // A footer has the headers again, and they agree: what they say is not what the block holds.
    segment("block-header") { parts, _, random in
      let block = random.below(parts.blocks.count)
      random.change(&parts.blocks[block], in: 0..<40)
      return false
    },
    segment("block-payload") { parts, _, random in
      let block = random.below(parts.blocks.count)
      random.change(&parts.blocks[block], in: 64..<parts.blocks[block].count)
      return false
    },
    segment("blocks-of-another-life", takesOtherLife: true) { parts, other, _ in
      defer { parts.blocks = other.blocks }
      return parts.blocks != other.blocks
    },
    segment("blocks-swapped") { parts, _, random in
      parts.blocks.swapAt(random.below(parts.blocks.count), random.below(parts.blocks.count))
      return false
    },
    segment("last-block-gone") { parts, _, _ in
      parts.blocks.removeLast()
      let last = parts.blocks.last
      let end = last.map { $0.number(at: 0, size: 8) + $0.number(at: 8, size: 4) - 1 }
      parts[1]?.put(UInt64(end ?? 0), at: 8, size: 8)
      return false
    },
    section("section-1", 1), section("section-3", 3), section("section-4", 4),
    section("section-5", 5), section("section-6", 6), section("section-7", 7),
    section("section-8", 8),
    segment("counted-entries") { parts, _, random in
      let count = parts[1]?.number(at: 0, size: 8) ?? 0
      parts[1]?.put(UInt64(count + 1 + random.below(9)), at: 0, size: 8)
      return true
    },
    // The entries of all journals would count as sealed.
    lastSegment("footer-journal") { parts, random in
      parts[1]?.put(UInt64(1_000 + random.below(1_000)), at: 16, size: 8)
    },
    lastSegment("footer-counts") { parts, random in
      let count = parts[1]?.number(at: 0, size: 8) ?? 0
      parts[1]?.put(UInt64(count + 1 + random.below(1_000)), at: 0, size: 8)
    },
    // What a redaction would leave: the hash of what was there, and another text.
    segment("redaction", takesOtherLife: true) { parts, other, random in
      parts.blocks = other.blocks
      let commitment = SHA256.hash(parts[5]?.prefix(20) ?? [])
      parts[9] = random.below(4) == 0 ? [] : .varint(1) + .varint(1) + commitment
      return true
    },
    ForgeTarget(name: "segment-of-another-life") { store, random in
      guard let path = random.pick(store.paths(".segment")), let bytes = store.otherLife[path]
      else { return nil }
      return Forgery("all", path, bytes)
    },
  ]

  /// A change of a segment's parts. `change` also gets the parts of the other life, and returns
  /// true if `verify` has to find the change.
  private static func segment(
    _ name: String, takesOtherLife: Bool = false,
    _ change: @escaping @Sendable (inout SegmentParts, SegmentParts, inout SplitMix64) -> Bool
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      var paths = store.paths(".segment")
      if takesOtherLife { paths = paths.filter { store.files[$0] != store.otherLife[$0] } }
      guard let path = random.pick(paths), let bytes = store.files[path],
        var parts = SegmentParts(bytes),
        let other = store.otherLife[path].flatMap(SegmentParts.init), !parts.blocks.isEmpty
      else { return nil }
      let mustBeFound = change(&parts, other, &random)
      var forgery = Forgery(name, path, parts.file, mustBeFound: mustBeFound)
      if random.below(2) == 0 {
        forgery.files.merge(withoutCheckpoints(beside: path, store)) { $1 }
      }
      return forgery
    }
  }

  /// A change of the last segment of a document, which `verify` has to find.
  private static func lastSegment(
    _ name: String, _ change: @escaping @Sendable (inout SegmentParts, inout SplitMix64) -> Void
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      let prefix = "/store/documents/0000000000000000000\(1 + random.below(2))/"
      guard let path = store.paths(".segment").last(where: { $0.hasPrefix(prefix) }),
        var parts = store.files[path].flatMap({ SegmentParts($0) })
      else { return nil }
      change(&parts, &random)
      return Forgery(name, path, parts.file, mustBeFound: true)
    }
  }

  /// The checkpoints of a document are gone: their heads would tell of a change in its segments.
  private static func withoutCheckpoints(
    beside path: String, _ store: ForgeStore
  ) -> [String: [UInt8]?] {
    // Its number, as the folder's name or as the name of the segment beside it.
    let folder = path.prefix("/store/documents/".count + 20) + "/"
    return store.files.filter { $0.key.hasPrefix(folder) && $0.key.hasSuffix(".checkpoint") }
      .mapValues { _ in nil }
  }

  /// A byte of a section changed, put in or taken out.
  private static func section(_ name: String, _ kind: UInt32) -> ForgeTarget {
    segment(name) { parts, _, random in
      var body = parts[kind] ?? []
      switch random.below(4) {
      case 0: body.insert(UInt8(random.below(256)), at: random.below(body.count + 1))
      case 1 where !body.isEmpty: body.remove(at: random.below(body.count))
      default: random.change(&body, in: 0..<body.count)
      }
      parts[kind] = body
      return false
    }
  }
}
