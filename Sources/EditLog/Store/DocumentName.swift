import EditLogFormat
import EditModel

/// The name of a document from its directory.
enum DocumentName {
  /// The name of document `number`, from its file or, if that is not valid, from its last segment.
  /// Nil if it has neither, because its first entries are only in the journal.
  static func read(
    _ number: UInt64, in documents: DocumentsDirectory, store: StoreID
  ) throws(LogError) -> DocumentID? {
    guard let directory = try documents.document(number) else {
      return nil
    }
    let name = try ifUsable { () throws(LogError) in
      try NameFile.read(in: directory, store: store, document: number).content
    }
    if let name { return name }
    return try ofLastSegment(number, in: documents, store: store)
  }

  /// The name of document `number` from its last segment; nil if there is none that can be used.
  static func ofLastSegment(
    _ number: UInt64, in documents: DocumentsDirectory, store: StoreID
  ) throws(LogError) -> DocumentID? {
    try ifUsable { () throws(LogError) in
      guard let directory = try documents.document(number) else { return nil }
      return try SealedPart(in: directory, store: store, document: number).last?.index.name
    }
  }
}

/// The file `name` of a document, which exists only in format 1.0: a header, then `size: u32 |
/// checksum: u32 | UTF-8`.
enum NameFile {
  static func read(
    in directory: any Directory, store: StoreID, document: UInt64
  ) throws(LogError) -> FileReading<DocumentID> {
    try directory.read(StoreLayout.name) { file throws(LogError) in
      try read(file, store: store, document: document)
    }
  }

  private static func read(
    _ file: any File, store: StoreID, document: UInt64
  ) throws(LogError) -> DocumentID {
    _ = try FileHeader.read(.name, of: file, store: store, number: document)
    let bytes = try file.read(8 + DocumentID.sizeMax, at: FileHeader.size)
    return try decoding(bytes, of: file.path, at: FileHeader.size) { bytes throws(CodecError) in
      var reader = ByteReader(bytes)
      let (size, sum) = (Int(try reader.read(UInt32.self)), try reader.read(UInt32.self))
      let text = try reader.readSlice(size)
      try reader.expectEnd()
      guard CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[8...])) == sum else {
        throw reader.error(.checksum)
      }
      var name = text
      guard let id = DocumentID(stored: try name.readString(size: size)) else {
        throw text.error(.name)
      }
      return id
    }
  }
}
