import EditLogFormat
import EditModel

/// The encoded parts of a record, before their sizes are known.
package struct RecordScratch: ~Copyable {
  private var meta = ByteWriter()
  private var content = ByteWriter()

  package init() {}

  /// Appends a record: size of meta | meta | size of content | content.
  mutating func write(_ entry: HistoryEntry, to body: inout ByteWriter) {
    meta.removeAll()
    content.removeAll()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    body.write(count: meta.count)
    body.write(meta)
    body.write(count: content.count)
    body.write(content)
  }

  /// The largest size in bytes that the attribute change of the last record can have.
  var attributesSizeMax: Int {
    meta.withUnsafeBytes { meta in
      content.withUnsafeBytes { content in
        RecordCodec.attributesSizeMax(of: EntryBytes(meta: meta, content: content))
      }
    }
  }
}

extension HistoryEntry {
  /// The smallest number of bytes that a record takes.
  static let recordSizeMin = 14

  /// Reads a record.
  init(record reader: inout ByteReader) throws(CodecError) {
    let place = reader
    let record = try EntryBytes(&reader)
    var (meta, content) = (ByteReader(record.meta), ByteReader(record.content))
    self = try RecordCodec.decode(meta: &meta, content: &content)
    guard meta.isAtEnd, content.isAtEnd else { throw place.error(.trailing) }
  }
}
