package import EditModel

/// The bytes of the file with the edits that editors were asked to make in one document.
///
///     header | size of the content: u32 | checksum of the header, of the size and of the content: u32 |
///     content: JSON
package enum AskedFile {
  /// Bytes before the content.
  package static let frontSize = FileHeader.size + 8
  /// The maximum size of the content in bytes.
  package static let contentSizeMax = 64 << 20

  /// The bytes of a file with this content, which has at most `contentSizeMax` bytes.
  package static func encode(_ content: [UInt8], store: StoreID, document: UInt64) -> [UInt8] {
    var bytes = ByteWriter(capacity: frontSize + content.count)
    bytes.write(bytes: FileHeader(.asked, store: store, number: document).bytes)
    bytes.write(fixed: UInt32(content.count))
    bytes.write(fixed: CRC32C.checksum(bytes.bytes + content))
    bytes.write(bytes: content)
    return bytes.bytes
  }

  /// The content of a file. Nil if it is damaged, of another version, or belongs to another store or
  /// document.
  package static func decode(_ bytes: [UInt8], store: StoreID, document: UInt64) -> [UInt8]? {
    guard bytes.count >= frontSize, bytes.count - frontSize <= contentSizeMax,
      let header = bytes.withUnsafeBytes({ FileHeader(.asked, $0) }),
      header.isReadable, header.store == store, header.number == document
    else { return nil }
    let content = Array(bytes[frontSize...])
    return encode(content, store: store, document: document)[..<frontSize] == bytes[..<frontSize]
      ? content : nil
  }
}
