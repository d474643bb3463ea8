import CZlib

/// Why bytes cannot be compressed.
public enum DeflateError: Error, Hashable, Sendable {
  /// zlib could not allocate memory, or refused its arguments; its code.
  case refused(Int32)
}

/// Compression in the zlib form (RFC 1950), which browsers unpack.
enum Deflate {
  /// The bytes, compressed as well as zlib can. O(n).
  static func packed(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(length))
    let status = compress2(&output, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION)
    guard status == Z_OK else { throw .refused(status) }
    output.removeLast(output.count - Int(length))
    return output
  }
}
