import Glibc
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
    var hash = SHA256(usingInstructions: usingInstructions)
    hash.update(Array(known.text.utf8))
    #expect(String(hexadecimal: hash.digest) == known.digest)
  }

  /// Each length around the ends of blocks, in pieces, with a digest after each piece.
  @Test(arguments: UInt64(0)..<4)
  func agreesWithCoreutilsAtEveryLengthAndCut(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = TemporaryFolder()
    var digests: [String] = []
    for count in Array(0...200) + [4_095, 4_096, 4_097, 70_000] {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var hashes = [true, false].map { SHA256(usingInstructions: $0) }
      var offset = 0
      repeat {
        let end = min(count, offset + Int.random(in: 0...(count / 3 + 1), using: &random))
        for index in hashes.indices { hashes[index].update([UInt8](bytes[offset..<end])) }
        #expect(hashes[0].digest == hashes[1].digest, "seed \(seed): \(end) of \(count) bytes")
        digests.append(String(hexadecimal: hashes[0].digest))
        try DiskFile.replace(folder.path("\(digests.count)"), with: [UInt8](bytes[..<end]))
        offset = end
      } while offset < count
      #expect(hashes[0].digest == SHA256.hash(bytes), "seed \(seed): \(count) bytes")
    }
    let expected = try sums(of: (1...digests.count).map { folder.path("\($0)") })
    #expect(digests == expected, "seed \(seed)")
  }

  /// The digests of files, in order, as sha256sum(1) prints them.
  private func sums(of files: [String]) throws -> [String] {
    let output = try #require(popen("sha256sum -- \(files.joined(separator: " "))", "r"))
    defer { pclose(output) }
    var (line, sums) = ([CChar](repeating: 0, count: 256), [String]())
    while fgets(&line, Int32(line.count), output) != nil {
      sums.append(String(decoding: line.prefix(64).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return sums
  }
}
