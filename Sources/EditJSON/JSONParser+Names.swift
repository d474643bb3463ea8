import EditModel

/// Caches short names, so that the names that every message repeats are allocated once.
struct NameCache {
  private struct Entry {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var name = ""
  }
  private var entries: [Entry] = []
  private var count = 0
  /// The number of names from which they are cached: with fewer, the cache takes longer than it saves.
  private static let countMin = 64

  /// The name with these bytes, from the cache or else from `make`.
  mutating func name(low: UInt64, high: UInt64, hash: UInt64, make: () -> String) -> String {
    count += 1
    if count < Self.countMin { return make() }
    if entries.isEmpty { entries = Array(repeating: Entry(), count: 64) }
    let slot = Int(hash >> 58)
    if entries[slot].low == low, entries[slot].high == high { return entries[slot].name }
    let name = make()
    entries[slot] = Entry(low: low, high: high, name: name)
    return name
  }
}

/// A filter of the names of an object, which finds out quickly that a name is new.
struct SeenNames {
  private var bits: UInt64 = 0
  private var count = 0
  /// With more names than this, repeated names are found when the object ends, because comparing
  /// each name with all before it would be quadratic.
  private static let countMax = 64
  /// True if there were more than `countMax` names.
  private(set) var overflowed = false

  /// Adds a name. Returns true if one of the names before it may be equal.
  mutating func mayHold(_ hash: UInt64) -> Bool {
    count += 1
    guard count <= Self.countMax else {
      overflowed = true
      return false
    }
    let bit: UInt64 = 1 << (hash >> 58)
    defer { bits |= bit }
    return bits & bit != 0
  }
}

extension JSONParser {
  /// A member's name and a hash of it.
  mutating func name() throws(JSONError) -> (name: String, hash: UInt64) {
    if let short = shortName() { return short }
    let start = index
    guard let name = try string().string else {
      throw JSONError(.loneSurrogateInName, offset: start)
    }
    return (name, Self.hash(name))
  }

  /// The hash of a name, with or without escapes in its written form. For a name of up to 15 bytes
  /// it is the hash of `shortName`.
  private static func hash(_ name: String) -> UInt64 {
    var (low, high): (UInt64, UInt64) = (0, 0)
    for (index, byte) in name.utf8.enumerated() {
      if index < 8 {
        low |= UInt64(byte) << UInt64(index * 8)
      } else {
        // From the 17th byte on, each byte is combined with an earlier one.
        high =
          high &* (index < 16 ? 1 : 0x0000_0100_0000_01B3) ^ UInt64(byte) << UInt64(index % 8 * 8)
      }
    }
    return hash(low, high)
  }

  private static func hash(_ low: UInt64, _ high: UInt64) -> UInt64 {
    mix(low ^ (high &* 0x9E37_79B9_7F4A_7C15))
  }

  /// Reads a name of 1 to 15 bytes of ASCII without escapes. Returns nil, and reads nothing, if the
  /// name has another form.
  private mutating func shortName() -> (name: String, hash: UInt64)? {
    let start = index + 1
    guard end - start >= 16 else { return nil }
    var low = base.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
    var high = base.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self).littleEndian
    let lowMask = Self.specials(low) | (low & 0x8080_8080_8080_8080)
    let highMask = Self.specials(high) | (high & 0x8080_8080_8080_8080)
    let count =
      lowMask != 0 ? lowMask.trailingZeroBitCount / 8 : 8 + highMask.trailingZeroBitCount / 8
    guard count > 0, count < 16, byte(start + count) == UInt8(ascii: "\"") else { return nil }
    low &= count < 8 ? (1 << UInt64(count * 8)) - 1 : .max
    high &= count > 8 ? (1 << UInt64((count - 8) * 8)) - 1 : 0
    index = start + count + 1
    let hash = Self.hash(low, high)
    let bytes = UnsafeRawBufferPointer(start: base + start, count: count)
    let name = names.name(low: low, high: high, hash: hash) {
      String(decoding: bytes, as: UTF8.self)
    }
    return (name, hash)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let mixed = (value ^ (value >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
  }

  /// Removes repeated names: a later value replaces an earlier one of the same name, at the place
  /// of the first. O(n).
  static func keepingLast(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
    var kept: [JSONObject.Member] = []
    var places: [ExactString: Int] = [:]
    for member in members {
      let name = ExactString(member.name)
      if let place = places[name] {
        kept[place].value = member.value
      } else {
        places[name] = kept.count
        kept.append(member)
      }
    }
    return kept
  }
}
