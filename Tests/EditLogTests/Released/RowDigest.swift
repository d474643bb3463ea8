import Crypto
import EditLog
import EditLogFormat
import EditModel

/// SHA-256 over the records of entries: each meta and each content after its size as u64, as
/// hexadecimal digits.
func rowDigest(of entries: [HistoryEntry]) -> String {
  var hash = Crypto.SHA256()
  for entry in entries {
    var meta = ByteWriter()
    var content = ByteWriter()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    for part in [meta.bytes, content.bytes] {
      var size = ByteWriter()
      size.write(fixed: UInt64(part.count))
      hash.update(data: size.bytes + part)
    }
  }
  return hash.finalize().map { byte in
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}
