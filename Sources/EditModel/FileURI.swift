/// The URIs of files. Editors name documents by them.
///
/// Editors escape different characters, in upper or lower case. The bytes of the path decide which
/// file a URI names, so each path has one form that names are compared in: `uri(of:)` of the path without the
/// segments `.` and `..` (RFC 3986, 6.2.2.3), and with one slash where there are several, as the kernel reads it.
package enum FileURI {
  private static let scheme = "file:"

  /// The URI of the file at an absolute path. The characters of a path in RFC 3986 are not escaped,
  /// and escapes are in upper case. O(n).
  package static func uri(of path: String) -> String { uri(ofBytes: path.utf8) }

  /// The path of a file's URI on this machine, percent-decoded. Nil for other URIs, for a path that is
  /// not UTF-8, and for the name of another history of a file (`DocumentID.otherHistory`). O(n).
  package static func path(_ uri: String) -> String? {
    guard historyNumber(uri) == nil, let bytes = pathBytes(uri) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The form of a file's URI in which names are compared: `uri(of:)` of its path without segments that mean
  /// nothing. A slash at the end stays: it names a folder. Another string, and a URI with a wrong escape, is
  /// unchanged. O(n), without allocation if nothing changes.
  package static func canonical(_ uri: String) -> String {
    guard !isCanonical(uri), historyNumber(uri) == nil, let bytes = pathBytes(uri) else {
      return uri
    }
    let parts = segments(of: bytes)
    let end = bytes.reversed().prefix { $0 != UInt8(ascii: "/") }
    let isFolder = end.isEmpty || dotCount(end) != nil
    let path = parts.reduce(into: [UInt8]()) { $0 += [UInt8(ascii: "/")] + $1 }
    return self.uri(ofBytes: path + (isFolder ? [UInt8(ascii: "/")] : []))
  }

  /// The absolute path of a file's URI. Nil if the path is not normalized as by `absolute`. O(n).
  package static func normalizedPath(_ uri: String) -> String? {
    guard let path = path(uri), absolute(path, in: "/").isExactly(path) else { return nil }
    return path
  }

  /// `path` as an absolute path without `.`, `..` and double slashes.
  package static func absolute(_ path: String, in directory: String) -> String {
    let whole = path.utf8.first == UInt8(ascii: "/") ? path : directory + "/" + path
    return "/" + segments(of: whole.utf8).map { String($0) ?? "" }.joined(separator: "/")
  }

  /// The parts of an absolute path between slashes, without empty ones and `.`, and without `..` and the part
  /// before it. O(n).
  private static func segments<Path: Collection<UInt8>>(of path: Path) -> [Path.SubSequence] {
    var parts: [Path.SubSequence] = []
    for part in path.split(separator: UInt8(ascii: "/")) {
      switch dotCount(part) {
      case 1: break
      case 2: _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return parts
  }

  /// 1 for `.`, 2 for `..`, nil for another part of a path.
  private static func dotCount(_ part: some Collection<UInt8>) -> Int? {
    (1...2).contains(part.count) && part.allSatisfy { $0 == UInt8(ascii: ".") } ? part.count : nil
  }

  // MARK: Histories

  private static let historyMark = "?history="

  /// The name of one of several histories of the file with this URI, by the number of its document.
  static func uri(_ uri: String, history number: UInt64) -> String {
    uri + historyMark + String(number)
  }

  /// The number in a name that `uri(_:history:)` returns; nil for another name.
  static func historyNumber(_ uri: String) -> UInt64? {
    let utf8 = uri.utf8
    let digits = utf8.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, digits.count <= 20,
      utf8.dropLast(digits.count).suffix(historyMark.utf8.count).elementsEqual(historyMark.utf8),
      utf8.starts(with: "\(scheme)//".utf8)
    else { return nil }
    return UInt64(String(decoding: utf8.suffix(digits.count), as: UTF8.self))
  }

  /// The URI of the file in a name that `uri(_:history:)` returns; nil for another name.
  static func fileOfHistory(_ uri: String) -> String? {
    guard let number = historyNumber(uri) else { return nil }
    let size = historyMark.utf8.count + String(number).utf8.count
    return String(decoding: uri.utf8.dropLast(size), as: UTF8.self)
  }

  // MARK: Escapes

  /// True if this is no URI of a file, or one in the form of `uri(of:)`.
  private static func isCanonical(_ uri: String) -> Bool {
    guard var rest = afterScheme(uri) else { return true }
    guard uri.utf8.starts(with: "\(scheme)///".utf8) else { return false }
    rest = rest.dropFirst(3)
    // The bytes since the last slash, and whether all of them are dots.
    var (count, areDots) = (0, true)
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "/") {
        guard count > 2 || !areDots else { return false }
        (count, areDots) = (0, true)
        continue
      }
      count += 1
      if byte != UInt8(ascii: ".") { areDots = false }
      if isKept(byte) { continue }
      guard byte == UInt8(ascii: "%"), let high = rest.popFirst(), let low = rest.popFirst(),
        let value = value(high, low), !isKept(value), !isLowerCase(high), !isLowerCase(low)
      else { return false }
    }
    return count == 0 || count > 2 || !areDots
  }

  /// The rest of a URI after the scheme `file`, in any case; nil if it has another one.
  private static func afterScheme(_ uri: String) -> Substring.UTF8View? {
    var rest = uri.utf8[...]
    for byte in scheme.utf8 {
      guard let first = rest.popFirst(),
        first == byte || byte != UInt8(ascii: ":") && first &+ 32 == byte
      else { return nil }
    }
    return rest
  }

  /// The decoded path of a file's URI: `file:///path`, `file://localhost/path` or `file:/path`. Nil for
  /// other strings, wrong escapes, and a path with a byte 0.
  private static func pathBytes(_ uri: String) -> [UInt8]? {
    guard var rest = afterScheme(uri) else { return nil }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      if rest.starts(with: "localhost/".utf8) { rest = rest.dropFirst("localhost".utf8.count) }
    }
    guard rest.first == UInt8(ascii: "/"), let bytes = percentDecoded(rest), !bytes.contains(0)
    else { return nil }
    return bytes
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst(), let low = rest.popFirst(), let value = value(high, low)
      else { return nil }
      bytes.append(value)
    }
    return bytes
  }

  /// The byte of two hexadecimal digits.
  private static func value(_ high: UInt8, _ low: UInt8) -> UInt8? {
    func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    guard let high = digit(high), let low = digit(low) else { return nil }
    return high << 4 | low
  }

  private static func isLowerCase(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") }

  private static func uri(ofBytes path: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes = Array("\(scheme)//".utf8)
    for byte in path {
      if isKept(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True for the characters of a path in RFC 3986: Neovim, Helix, Kate and Emacs do not escape them.
  private static func isKept(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/!$&'()*+,;=:@".utf8.contains(byte)
    }
  }
}
