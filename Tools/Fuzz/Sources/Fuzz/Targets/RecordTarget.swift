import EditLogFormat
import EditModel
import TestSupport

/// A record: two bytes that say how long the meta is, the meta, the content.
struct RecordTarget: Target {
  var format: (any Format)? { nil }

  func seeds() -> [[UInt8]] {
    var generator = EntryGenerator(seed: 1)
    let entries = generator.history(count: 24) + MixedHistory(seed: 1, editCount: 12).entries
    return entries.map { entry in
      let (meta, content) = encode(entry)
      return [UInt8(truncatingIfNeeded: meta.count), UInt8(truncatingIfNeeded: meta.count >> 8)]
        + meta + content
    }
  }

  private func encode(_ entry: HistoryEntry) -> ([UInt8], [UInt8]) {
    var meta = ByteWriter()
    var content = ByteWriter()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    return (meta.bytes, content.bytes)
  }

  func run(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let size = min(Int(bytes[0]) | Int(bytes[1]) << 8, bytes.count - 2)
    let (meta, content) = (Array(bytes[2..<2 + size]), Array(bytes[(2 + size)...]))
    guard let (entry, metaSize, contentSize) = decode(meta, content) else { return }
    // Same entry, same bytes: what decodes is the one encoding there is.
    let again = encode(entry)
    guard again == (Array(meta[..<metaSize]), Array(content[..<contentSize])) else {
      contradiction("a record that is not its entry's encoding: \(entry)")
    }
  }

  private func decode(
    _ meta: [UInt8], _ content: [UInt8]
  ) -> (entry: HistoryEntry, metaSize: Int, contentSize: Int)? {
    meta.withUnsafeBytes { meta in
      content.withUnsafeBytes { content in
        var (metaReader, contentReader) = (ByteReader(meta), ByteReader(content))
        guard
          let entry = try? RecordCodec.decode(meta: &metaReader, content: &contentReader)
        else { return nil }
        return (entry, metaReader.offset, contentReader.offset)
      }
    }
  }
}
