/// Text as UTF-16 code units, lone surrogates included.
///
/// A log must not lose half of a surrogate pair, because an editor may send a pair in two edits.
/// Lone surrogates are preserved; `String(text)` has U+FFFD for each of them.
///
/// A long text of units below 0x100 can be kept as bytes, which takes half the memory. Both forms
/// are equal.
public struct UTF16Text: Sendable {
  @usableFromInline enum Storage: Sendable {
    case units([UInt16])
    /// ISO 8859-1: each byte is a unit.
    case latin1([UInt8])
  }
  @usableFromInline private(set) var storage: Storage

  /// The minimum number of units of a text that decoders keep as bytes.
  package static let latin1CountMin = 16 << 10

  /// Text of these units.
  public init(units: [UInt16] = []) { storage = .units(units) }

  /// The texts of one ASCII character, by that character. Most texts of a history are one typed
  /// character: decoders take them from here, which allocates no memory.
  package static let typed: [UTF16Text] = (0..<0x80).map { UTF16Text(units: [$0]) }

  /// The UTF-16 form of `string`. O(n).
  public init(_ string: some StringProtocol) {
    var string = String(string)
    storage = string.withUTF8 { bytes in
      // Most typed units are ASCII.
      if bytes.allSatisfy({ $0 < 0x80 }) {
        return bytes.count < Self.latin1CountMin
          ? .units(Self.widen(bytes)) : .latin1(Array(bytes))
      }
      let units = String(decoding: bytes, as: UTF8.self).utf16
      // No character below U+0100 has a byte above 0xC3.
      guard bytes.count >= 2 * Self.latin1CountMin, bytes.allSatisfy({ $0 <= 0xC3 }) else {
        return .units(Array(units))
      }
      return .latin1(units.map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  private static func widen(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt16] {
    Array(unsafeUninitializedCapacity: bytes.count) { units, count in
      for index in bytes.indices { units.initializeElement(at: index, to: UInt16(bytes[index])) }
      count = bytes.count
    }
  }

  /// Text of these units, kept as bytes if it is long and each unit fits into one. O(n).
  package init(compacting units: [UInt16]) {
    storage =
      units.count >= Self.latin1CountMin && units.allSatisfy({ $0 < 0x100 })
      ? .latin1(units.map { UInt8(truncatingIfNeeded: $0) }) : .units(units)
  }

  /// Text of these bytes, each of which is a unit. It is kept as bytes. O(1).
  public init(latin1 bytes: [UInt8]) { storage = .latin1(bytes) }

  /// The units. O(1), or O(n) if the text is kept as bytes.
  @inlinable @inline(__always) public var units: [UInt16] {
    if case .units(let units) = storage { return units }
    return widened
  }

  @inline(never)
  @usableFromInline var widened: [UInt16] {
    switch storage {
    case .units(let units): units
    case .latin1(let bytes): bytes.withUnsafeBufferPointer { Self.widen($0) }
    }
  }

  /// Calls `body` with the units. O(1), or O(n) if the text is kept as bytes.
  @inlinable @inline(__always)
  package func withUnits<Result>(_ body: (Span<UInt16>) -> Result) -> Result {
    if case .units(let units) = storage { return body(units.span) }
    return body(widened.span)
  }

  /// The units as bytes, if the text is kept as bytes. O(1).
  @inlinable package var latin1: [UInt8]? {
    if case .latin1(let bytes) = storage { bytes } else { nil }
  }

  /// The unit at `offset`. O(1).
  package subscript(offset: Int) -> UInt16 {
    switch storage {
    case .units(let units): units[offset]
    case .latin1(let bytes): UInt16(bytes[offset])
    }
  }

  /// The number of UTF-16 units.
  @inlinable public var count: Int {
    switch storage {
    case .units(let units): units.count
    case .latin1(let bytes): bytes.count
    }
  }
  /// True if there are no units.
  @inlinable public var isEmpty: Bool { count == 0 }

  /// The first units, at most `countMax`. A surrogate pair is not split. O(`countMax`).
  package func prefix(_ countMax: Int) -> UTF16Text {
    count > countMax ? part(from: 0, countMax) : self
  }

  /// The units from `offset` on, at most `countMax`. A surrogate pair is not split at the end.
  /// O(`countMax`).
  package func part(from offset: Int, _ countMax: Int) -> UTF16Text {
    let end = offset + Swift.min(countMax, count - offset)
    switch storage {
    case .units(let units):
      let isPairCut =
        offset < end && end < units.count && UTF16.isLeadSurrogate(units[end - 1])
        && UTF16.isTrailSurrogate(units[end])
      return UTF16Text(units: Array(units[offset..<(isPairCut ? end - 1 : end)]))
    case .latin1(let bytes): return UTF16Text(latin1: Array(bytes[offset..<end]))
    }
  }

  /// Adds `other` at the end. Amortised O(`other.count`).
  public mutating func append(_ other: UTF16Text) {
    if case .latin1(let bytes) = other.storage {
      if case .latin1(var own) = storage {
        storage = .units([])
        own += bytes
        storage = .latin1(own)
      } else {
        append(contentsOf: bytes.lazy.map { UInt16($0) })
      }
    } else {
      append(contentsOf: other.units)
    }
  }
  /// Adds `units` at the end. Amortised O(`units.count`), and once O(n) if the text is kept as
  /// bytes.
  public mutating func append(contentsOf units: some Sequence<UInt16>) {
    var own = self.units
    // A second reference would make the append copy the units.
    storage = .units([])
    own.append(contentsOf: units)
    storage = .units(own)
  }
}

extension UTF16Text: Hashable {
  /// True if the units are the same. O(n).
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.storage, right.storage) {
    case (.units(let a), .units(let b)): a == b
    case (.latin1(let a), .latin1(let b)): a == b
    case (.units(let units), .latin1(let bytes)), (.latin1(let bytes), .units(let units)):
      units.count == bytes.count && zip(units, bytes).allSatisfy { $0 == UInt16($1) }
    }
  }

  /// Feeds the units to `hasher`. O(n).
  public func hash(into hasher: inout Hasher) { hasher.combine(units) }
}

extension UTF16Text: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The UTF-16 form of a literal.
  public init(stringLiteral value: String) { self.init(value) }
  /// The text, with each lone surrogate shown as U+FFFD.
  public var description: String {
    string { String(decoding: $0, as: UTF16.self) } ?? ""
  }

  /// The text as a string. Returns nil if it contains a lone surrogate. O(n).
  package var validString: String? { string { String(validating: $0, as: UTF16.self) } }

  /// The text as a string. `decode` gets the pieces that are not ASCII; they do not split surrogate
  /// pairs. Returns nil if `decode` returns nil.
  private func string(_ decode: (UnsafeBufferPointer<UInt16>) -> String?) -> String? {
    if let latin1, latin1.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: latin1, as: UTF8.self)
    }
    return units.withUnsafeBufferPointer { units in
      var result = ""
      result.reserveCapacity(units.count)
      var start = 0
      while start < units.count {
        // The text is decoded in pieces, because the library's decoder is slow, and most pieces of
        // most texts are ASCII.
        var end = min(units.count, start + 1 << 12)
        if end < units.count, UTF16.isLeadSurrogate(units[end - 1]) { end -= 1 }
        let piece = units.extracting(start..<end)
        guard let string = Self.ascii(piece) ?? decode(piece) else { return nil }
        result += string
        start = end
      }
      return result
    }
  }

  private static func ascii(_ units: UnsafeBufferPointer<UInt16>) -> String? {
    guard units.reduce(0, |) < 0x80 else { return nil }
    return String(unsafeUninitializedCapacity: units.count) { bytes in
      for index in units.indices {
        bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: units[index]))
      }
      return units.count
    }
  }
}

extension String {
  /// `text` as a string, with each lone surrogate shown as U+FFFD.
  public init(_ text: UTF16Text) { self = text.description }
}
