/// The bytes of an entry, in a buffer that this does not own.
///
/// `meta` (who, when and where) is separate from `content`, because only the content can be
/// redacted.
@usableFromInline
package struct EntryBytes {
  @usableFromInline
  package var meta: UnsafeRawBufferPointer
  @usableFromInline
  package var content: UnsafeRawBufferPointer

  @inlinable
  package init(meta: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) {
    (self.meta, self.content) = (meta, content)
  }

  /// Reads an entry from `reader`.
  @inlinable
  package init(_ reader: inout ByteReader) throws(CodecError) {
    meta = try reader.readBytes(try reader.readCount(max: reader.remaining))
    content = try reader.readBytes(try reader.readCount(max: reader.remaining))
  }

  /// Appends the entry as a row: `index | meta | content`, each string after its size.
  @inlinable
  package func write(index: UInt64, to writer: inout ByteWriter) {
    writer.write(varint: index)
    writer.write(count: meta.count)
    writer.write(bytes: meta)
    writer.write(count: content.count)
    writer.write(bytes: content)
  }
}
