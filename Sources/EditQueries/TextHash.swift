package import EditModel
package import TextState

/// SHA-256 of the UTF-8 form of a text that comes in pieces, so that a long text is not copied.
struct TextHash {
  /// UTF-16 units that are hashed at a time.
  private static let partLength = 1 << 16

  private var hash = SHA256()
  private var part: [UInt16] = []

  /// Adds the next units. A surrogate pair may be divided between two calls.
  mutating func add(_ units: UnsafeBufferPointer<UInt16>) {
    var rest = units[...]
    while !rest.isEmpty {
      let added = rest.prefix(max(Self.partLength - part.count, 1))
      part.append(contentsOf: added)
      rest = rest[added.endIndex...]
      if part.count >= Self.partLength { hashPart() }
    }
  }

  /// The digest of all units.
  mutating func finish() -> ContentDigest {
    hashPart(isLast: true)
    guard let digest = ContentDigest(bytes: hash.digest) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return digest
  }

  private mutating func hashPart(isLast: Bool = false) {
    // The other half of a surrogate pair may follow.
    let held = !isLast && part.last.map(UTF16.isLeadSurrogate) == true ? part.popLast() : nil
    hash.update(Array(String(UTF16Text(units: part)).utf8))
    part.removeAll(keepingCapacity: true)
    if let held { part.append(held) }
  }

  /// Adds units below 0x100, each as a byte.
  fileprivate mutating func add(latin1 bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: Self.partLength) {
      let end = min(start + Self.partLength, bytes.count)
      let text = UTF16Text(latin1: Array(bytes[start..<end]))
      hash.update(Array(String(text).utf8))
    }
  }
}

extension UTF16Text {
  /// SHA-256 of the text's UTF-8 form.
  package var digest: ContentDigest {
    var hash = TextHash()
    if let latin1 {
      hash.add(latin1: latin1)
    } else {
      units.withUnsafeBufferPointer { hash.add($0) }
    }
    return hash.finish()
  }
}

extension TextState {
  /// SHA-256 of the text's UTF-8 form.
  package var textDigest: ContentDigest { textDigest(in: UTF16Range(0..<length)) }

  /// SHA-256 of the UTF-8 form of the text of a range. O(`range`).
  func textDigest(in range: UTF16Range) -> ContentDigest {
    var hash = TextHash()
    withChunks(in: range) { hash.add($0) }
    return hash.finish()
  }
}
