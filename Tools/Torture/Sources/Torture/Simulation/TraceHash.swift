/// A hash of what happened, in order.
struct TraceHash {
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ value: UInt64) {
    hash = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 32
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(UInt64(byte)) } }
}
