/// The ends of lines in files.
enum LineEnds {
  /// The bytes with an LF for each CR LF and CR. O(n).
  static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x0D) else { return bytes }
    var (result, isAfterCR): ([UInt8], Bool) = ([], false)
    for byte in bytes {
      if !(isAfterCR && byte == 0x0A) { result.append(byte == 0x0D ? 0x0A : byte) }
      isAfterCR = byte == 0x0D
    }
    return result
  }
}
