package import EditModel

/// The bytes of an attachment of one document. The file's name is their digest.
///
///     header | size of the content: u64 | checksum of the header and of the size: u32 | content
package enum AttachmentFile {
  /// Bytes before the content.
  package static let frontSize = FileHeader.size + 12

  /// What is before the content.
  package static func front(size: Int, store: StoreID, document: UInt64) -> [UInt8] {
    var bytes = ByteWriter(capacity: frontSize)
    bytes.write(bytes: FileHeader(.attachment, store: store, number: document).bytes)
    bytes.write(fixed: UInt64(size))
    bytes.write(fixed: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    return bytes.bytes
  }

  /// The digest of a content. O(n).
  package static func digest(of content: [UInt8]) -> AttachmentDigest? {
    AttachmentDigest(bytes: SHA256.hash(content))
  }

  /// The size of the content. Nil if the front is damaged, of another version, or belongs to another
  /// store or document, or the file has another size.
  package static func size(
    _ front: [UInt8], fileSize: Int, store: StoreID, document: UInt64
  ) -> Int? {
    guard front.count == frontSize,
      let header = front.withUnsafeBytes({ FileHeader(.attachment, $0) }),
      header.isReadable, header.store == store, header.number == document
    else { return nil }
    let size = try? ByteReader.reading(front) { reader throws(CodecError) in
      _ = try reader.readBytes(FileHeader.size)
      let size: UInt64 = try reader.read()
      let checksum: UInt32 = try reader.read()
      guard checksum == CRC32C.checksum(Array(front[..<(frontSize - 4)])),
        size == UInt64(exactly: fileSize - frontSize)
      else { throw reader.error(.unknown) }
      return fileSize - frontSize
    }
    return size
  }
}

extension StoreLayout {
  private static let attachmentSuffix = ".attachment"

  /// The name of the file of an attachment, in its document's folder.
  package static func name(of attachment: AttachmentDigest) -> String {
    "\(attachment)\(attachmentSuffix)"
  }

  /// The digest of the attachment in a file of this name; nil if it is another file.
  package static func attachment(named name: String) -> AttachmentDigest? {
    guard name.hasSuffix(attachmentSuffix) else { return nil }
    return AttachmentDigest(name.dropLast(attachmentSuffix.utf8.count))
  }
}
