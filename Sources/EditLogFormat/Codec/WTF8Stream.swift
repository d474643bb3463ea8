package import EditModel
import Glibc

/// Encodes a text in pieces, so that the whole encoding is never in memory.
package struct WTF8Stream {
  /// The maximum number of units in a piece.
  private static let pieceCount = 1 << 16

  private let text: UTF16Text
  private var offset = 0

  package init(_ text: UTF16Text) { self.text = text }

  /// Appends the next piece to `writer`. Returns false at the end of the text.
  package mutating func next(into writer: inout ByteWriter) -> Bool {
    guard offset < text.count else { return false }
    var end = min(text.count, offset + Self.pieceCount)
    if let latin1 = text.latin1 {
      latin1.withUnsafeBufferPointer {
        WTF8.encode(latin1: $0.extracting(offset..<end), to: &writer)
      }
    } else {
      // A piece does not end between the halves of a surrogate pair.
      if end < text.count, WTF8.isHigh(text[end - 1]) { end -= 1 }
      text.units.withUnsafeBufferPointer {
        WTF8.encode($0.extracting(offset..<end), to: &writer)
      }
    }
    offset = end
    return true
  }

  /// Calls `body` with the pieces that are left, in order.
  package mutating func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
    var piece = ByteWriter()
    while next(into: &piece) {
      piece.withUnsafeBytes(body)
      piece.removeAll()
    }
  }
}

/// Compares bytes that come in pieces with the encoding of a text.
package struct WTF8Comparison: ~Copyable {
  private var stream: WTF8Stream
  private var expected = ByteWriter()
  private var offset = 0

  package init(_ text: UTF16Text) { stream = WTF8Stream(text) }

  /// Compares the next bytes. Returns false if they differ from the text, or go beyond its end.
  package mutating func continues(with bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      guard hasMore() else { return false }
      let count = min(rest.count, expected.count - offset)
      let isEqual = expected.withUnsafeBytes { expected in
        guard let left = expected.baseAddress, let right = rest.baseAddress else { return false }
        // Both have at least `count` bytes.
        return memcmp(left + offset, right, count) == 0
      }
      guard isEqual else { return false }
      offset += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  /// True if part of the text was not compared yet.
  package mutating func hasMore() -> Bool {
    guard offset == expected.count else { return true }
    expected.removeAll()
    offset = 0
    return stream.next(into: &expected)
  }
}
