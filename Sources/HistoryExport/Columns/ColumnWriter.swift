import EditModel

/// Bytes of numbers and texts, as the player of a page reads them.
///
/// A number is LEB128: seven bits a byte, the lowest first, the high bit set in all bytes but the last.
package struct ColumnWriter: Sendable {
  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []

  /// No bytes.
  package init() {}

  /// Adds a number. It must be below 2⁵³, because the player's numbers are doubles.
  package mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Adds a number that is not negative; a negative one counts as 0.
  package mutating func append(_ number: Int) { append(UInt64(max(0, number))) }

  /// Adds a signed number: 0, -1, 1, -2, … become 0, 1, 2, 3, …
  package mutating func append(signed number: Int) {
    append(UInt64(bitPattern: Int64(number << 1 ^ number >> 63)))
  }

  /// Adds bytes, their number before them.
  package mutating func append(part: [UInt8]) {
    append(part.count)
    bytes += part
  }

  /// Adds the number of units, then the units as UTF-8. A lone surrogate has three bytes.
  package mutating func append(units: [UInt16]) {
    append(units.count)
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      switch unit {
      case 0..<0x80: bytes.append(UInt8(unit))
      case 0x80..<0x800: append(0xC0 | UInt32(unit) >> 6, UInt32(unit), count: 1)
      case _
      where UTF16.isLeadSurrogate(unit) && index < units.count
        && UTF16.isTrailSurrogate(units[index]):
        let scalar = 0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(units[index] & 0x3FF)
        index += 1
        append(0xF0 | scalar >> 18, scalar, count: 3)
      default: append(0xE0 | UInt32(unit) >> 12, UInt32(unit), count: 2)
      }
    }
  }

  /// Adds the first byte of a sequence of UTF-8, and those that continue it.
  private mutating func append(_ first: UInt32, _ scalar: UInt32, count: Int) {
    bytes.append(UInt8(first))
    for place in (0..<UInt32(count)).reversed() {
      bytes.append(UInt8(0x80 | scalar >> (6 * place) & 0x3F))
    }
  }
}
