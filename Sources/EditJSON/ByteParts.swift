package import NIOCore

/// JSON text in parts. A long string that stayed in a frame is a part of its own: a slice of the
/// frame, which is not copied.
package struct ByteParts: ByteSink, Sendable {
  /// The size from which no bytes are added to a part.
  private static let partSize = 64 << 10

  /// The parts before the last.
  package private(set) var first: [ByteBuffer] = []
  /// The last part, to which bytes are added.
  package private(set) var last: [UInt8]

  /// One part.
  package init(_ bytes: [UInt8]) { last = bytes }

  /// The value as one line of JSON. O(size).
  package init(_ json: JSON) {
    last = []
    last.reserveCapacity(256)
    json.serialize(to: &self)
  }

  /// The number of bytes. O(parts).
  package var size: Int { first.reduce(last.count) { $0 + $1.readableBytes } }

  /// All bytes. O(1) if there is one part, else O(size).
  package var bytes: [UInt8] {
    guard !first.isEmpty else { return last }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    for part in first { bytes += part.readableBytesView }
    return bytes + last
  }

  /// Adds a byte.
  package mutating func append(_ byte: UInt8) { last.append(byte) }

  /// Adds bytes. Those of a long text are added in parts, so that no part is copied when it grows.
  package mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
    if last.count + bytes.count >= Self.partSize { close() }
    guard bytes.count < Self.partSize else { return first.append(ByteBuffer(bytes: bytes)) }
    last.append(contentsOf: bytes)
  }

  /// Takes the string as it is in its frame.
  package mutating func append(quoted string: ByteBuffer) -> Bool {
    close()
    first.append(string)
    return true
  }

  private mutating func close() {
    guard !last.isEmpty else { return }
    first.append(ByteBuffer(bytes: last))
    last.removeAll(keepingCapacity: true)
  }
}
