import EditLog
import EditLogFormat
import EditModel

/// SHA-256 over the records of entries: each meta and each content after its size as u64, as
/// hexadecimal digits.
func rowDigest(of entries: [HistoryEntry]) -> String {
  var hash = SHA256()
  for entry in entries {
    var meta = ByteWriter()
    var content = ByteWriter()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    for part in [meta.bytes, content.bytes] {
      var size = ByteWriter()
      size.write(fixed: UInt64(part.count))
      hash.update(size.bytes + part)
    }
  }
  return String(hexadecimal: hash.digest)
}
