import CProcessor

/// SHA-256, as in FIPS 180-4. By the instructions of x86-64 processors that have them, else in Swift.
///
/// A library of cryptography has it too, but brings several megabytes of other code into each program.
package struct SHA256 {
  /// Bytes of a digest.
  package static let digestSize = 32
  private static let blockSize = 64

  private var state = SIMD8<UInt32>(
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)
  /// The bytes after the last whole block.
  private var rest = SIMD64<UInt8>()
  /// The number of bytes so far.
  private var size: UInt64 = 0
  private let usesInstructions: Bool

  /// The hash of no bytes.
  package init() { self.init(usingInstructions: true) }

  /// - Parameter usingInstructions: False for the code in Swift on every processor.
  package init(usingInstructions: Bool) {
    usesInstructions = usingInstructions && Self.hasInstructions
  }

  private static let hasInstructions = editlog_has_sha256()

  /// The digest of `bytes`. O(n).
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest
  }

  /// Adds bytes. O(n).
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds bytes. O(n).
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let restCount = Int(size % UInt64(Self.blockSize))
    size &+= UInt64(bytes.count)
    var bytes = bytes
    if restCount > 0 {
      let count = min(bytes.count, Self.blockSize - restCount)
      fill(from: restCount, with: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      guard restCount + count == Self.blockSize else { return }
      addRest()
    }
    let blocks = bytes.count / Self.blockSize
    add(blocks: UnsafeRawBufferPointer(rebasing: bytes[..<(blocks * Self.blockSize)]))
    fill(from: 0, with: UnsafeRawBufferPointer(rebasing: bytes[(blocks * Self.blockSize)...]))
  }

  /// The digest of the bytes so far, of 32 bytes.
  package var digest: [UInt8] { Swift.withUnsafeBytes(of: digestWords) { [UInt8]($0) } }

  /// The digest of the bytes so far, in the order of memory.
  package var digestWords: SIMD4<UInt64> {
    var last = self
    let lengthOffset = Self.blockSize - 8
    let restCount = Int(size % UInt64(Self.blockSize))
    last.rest[restCount] = 0x80
    for index in (restCount + 1)..<max(restCount + 1, Self.blockSize) { last.rest[index] = 0 }
    if restCount >= lengthOffset {
      last.addRest()
      last.rest = SIMD64()
    }
    withUnsafeBytes(of: (size &* 8).bigEndian) { last.fill(from: lengthOffset, with: $0) }
    last.addRest()
    var words = SIMD8<UInt32>()
    for index in 0..<8 { words[index] = last.state[index].bigEndian }
    return unsafeBitCast(words, to: SIMD4<UInt64>.self)
  }

  private mutating func fill(from offset: Int, with bytes: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes(of: &rest) {
      UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: bytes)
    }
  }

  private mutating func addRest() {
    let rest = rest
    withUnsafeBytes(of: rest) { add(blocks: $0) }
  }

  private mutating func add(blocks: UnsafeRawBufferPointer) {
    guard !blocks.isEmpty, let start = blocks.baseAddress else { return }
    Self.constants.withUnsafeBufferPointer { constants in
      guard let constants = constants.baseAddress else { return }
      if usesInstructions {
        withUnsafeMutableBytes(of: &state) { state in
          guard let state = state.baseAddress else { return }
          editlog_sha256(
            state.assumingMemoryBound(to: UInt32.self), start.assumingMemoryBound(to: UInt8.self),
            blocks.count / Self.blockSize, constants)
        }
      } else {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
          guard let words = words.baseAddress else { return }
          for offset in stride(from: 0, to: blocks.count, by: Self.blockSize) {
            add(block: start + offset, constants, words: words)
          }
        }
      }
    }
  }

  /// Adds a block in Swift.
  ///
  /// - Parameter words: Room for the message schedule, 64 words.
  private mutating func add(
    block: UnsafeRawPointer, _ constants: UnsafePointer<UInt32>,
    words: UnsafeMutablePointer<UInt32>
  ) {
    for index in 0..<16 {
      words[index] = UInt32(
        bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    }
    for index in 16..<64 {
      let (old, new) = (words[index - 15], words[index - 2])
      let first = rotated(old, 7) ^ rotated(old, 18) ^ (old &>> 3)
      let second = rotated(new, 17) ^ rotated(new, 19) ^ (new &>> 10)
      words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    @inline(__always) func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
      _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ index: Int
    ) {
      h &+= rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      h &+= (((f ^ g) & e) ^ g) &+ constants[index] &+ words[index]
      d &+= h
      h &+= rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      h &+= ((a | b) & c) | (a & b)
    }
    var index = 0
    // Eight at a time, so that no word has to move.
    while index < 64 {
      round(a, b, c, &d, e, f, g, &h, index)
      round(h, a, b, &c, d, e, f, &g, index &+ 1)
      round(g, h, a, &b, c, d, e, &f, index &+ 2)
      round(f, g, h, &a, b, c, d, &e, index &+ 3)
      round(e, f, g, &h, a, b, c, &d, index &+ 4)
      round(d, e, f, &g, h, a, b, &c, index &+ 5)
      round(c, d, e, &f, g, h, a, &b, index &+ 6)
      round(b, c, d, &e, f, g, h, &a, index &+ 7)
      index &+= 8
    }
    state &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &>> count) | (word &<< (32 &- count))
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}
