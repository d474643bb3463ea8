import Crypto
import TestSupport
import Testing

@testable import EditModel

@Suite struct SHA256Tests {
  /// The examples of FIPS 180-2, appendix B, and the digest of nothing.
  static let known: [(text: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(arguments: known, [true, false])
  func knownDigests(known: (text: String, digest: String), usingInstructions: Bool) {
    var hash = EditModel.SHA256(usingInstructions: usingInstructions)
    hash.update(Array(known.text.utf8))
    #expect(String(hexadecimal: hash.digest) == known.digest)
  }

  /// Each length around the ends of blocks, in pieces, with a digest after each piece.
  @Test(arguments: UInt64(0)..<4)
  func agreesWithALibraryAtEveryLengthAndCut(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for count in Array(0...200) + [4_095, 4_096, 4_097, 70_000] {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(EditModel.SHA256.hash(bytes) == oracle(bytes[...]), "\(count) bytes")
      var hashes = [true, false].map { EditModel.SHA256(usingInstructions: $0) }
      var offset = 0
      while offset < count {
        let end = min(count, offset + Int.random(in: 0...(count / 3 + 1), using: &random))
        for index in hashes.indices {
          hashes[index].update([UInt8](bytes[offset..<end]))
          #expect(
            hashes[index].digest == oracle(bytes[..<end]), "seed \(seed): \(end) of \(count) bytes")
        }
        offset = end
      }
    }
  }

  private func oracle(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array(Crypto.SHA256.hash(data: Array(bytes)))
  }
}
