/// The URIs of files. Editors name documents by them.
package enum FileURI {
  private static let scheme = "file://"

  /// The URIs of the file at an absolute path: the first as most editors write it, the second as
  /// VS Code does.
  package static func uris(of path: String) -> [String] {
    [isKeptByMost, isKeptByStrict].map { uri(of: path, keeping: $0) }
  }

  /// The path of a file's URI on this machine, percent-decoded. Nil for other URIs. O(n).
  package static func path(_ uri: String) -> String? {
    var rest = uri[...]
    guard rest.hasPrefix(scheme) else { return nil }
    rest = rest.dropFirst(scheme.count)
    if rest.hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    guard rest.hasPrefix("/"), let bytes = percentDecoded(rest.utf8), !bytes.contains(0) else {
      return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The absolute path of a file's URI. Nil if `uri` is not a form that `uris` returns, or if the
  /// path is not normalized as by `absolute`. O(n).
  package static func normalizedPath(_ uri: String) -> String? {
    guard let path = path(uri), absolute(path, in: "/") == path, uris(of: path).contains(uri) else {
      return nil
    }
    return path
  }

  /// `path` as an absolute path without `.`, `..` and double slashes.
  package static func absolute(_ path: String, in directory: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : directory + "/" + path).split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      // `UInt8` takes a sign, too.
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func uri(of path: String, keeping isKept: (UInt8) -> Bool) -> String {
    scheme
      + path.utf8.reduce(into: "") { result, byte in
        if isKept(byte) { return result.unicodeScalars.append(Unicode.Scalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        result += (byte < 16 ? "%0" : "%") + digits
      }
  }

  /// The bytes that Neovim, Helix, Kate and Emacs do not escape: the characters of a path in
  /// RFC 3986.
  private static func isKeptByMost(_ byte: UInt8) -> Bool {
    isKeptByStrict(byte) || "!$&'()*+,;=:@".utf8.contains(byte)
  }

  /// The bytes that VS Code does not escape.
  private static func isKeptByStrict(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/".utf8.contains(byte)
    }
  }
}
