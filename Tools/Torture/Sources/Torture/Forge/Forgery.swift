import TestSupport

/// A change of a store's files by a program that knows the format: checksums, lengths and parity
/// are right.
struct Forgery {
  /// What was changed, for messages.
  var what: String
  /// New bytes of files, by their paths; nil for one that is gone.
  var files: [String: [UInt8]?]
  /// True if the article Threats says that `verify` finds it without any head.
  var mustBeFound = false

  init(_ what: String, _ path: String, _ bytes: [UInt8]?, mustBeFound: Bool = false) {
    (self.what, self.mustBeFound) = ("\(what) of \(path)", mustBeFound)
    files = [path: bytes]
  }

  init(_ what: String, files: [String: [UInt8]?], mustBeFound: Bool = false) {
    (self.what, self.files, self.mustBeFound) = (what, files, mustBeFound)
  }

  func apply(to disk: SimulatedFileSystem) {
    for (path, bytes) in files { disk[path] = bytes }
  }
}

/// Something that can be forged. To add a target: write a function that makes one forgery of it,
/// and name it in `ForgeTarget.all`.
struct ForgeTarget: Sendable {
  let name: String
  /// A forgery; nil if the store has nothing of the kind.
  let forge: @Sendable (ForgeStore, inout SplitMix64) -> Forgery?

  static let all: [ForgeTarget] = segments + smallFiles + catalogs + journals + folders
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }

  mutating func pick<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &self) }

  /// Changes one byte of `range`.
  mutating func change(_ bytes: inout [UInt8], in range: Range<Int>) {
    guard let offset = range.clamped(to: bytes.indices).randomElement(using: &self) else { return }
    bytes[offset] ^= UInt8.random(in: 1 ... .max, using: &self)
  }
}
