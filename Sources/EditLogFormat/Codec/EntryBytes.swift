/// The bytes of an entry. They are in a buffer owned elsewhere.
///
/// Who, when and where is apart from what was written, because only the second can be redacted.
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

  /// Takes an entry off the front of `reader`.
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
