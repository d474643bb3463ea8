import EditModel

/// The path of a document's file in a repository, or in a patch.
struct GitPath {
  /// The path, without a slash at its start.
  let path: String

  /// The last part of the document's name, or of its file's path. A name that a repository cannot have becomes
  /// `document`.
  init(document: String) {
    let name = FileURI.path(document) ?? document
    let last = name.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
    path = Self.isPart(last) ? last : "document"
  }

  private init(path: String) { self.path = path }

  /// The path with its folders: of a file in the folder `directory`, the path from there; of a document with
  /// another name, the name if it is such a path. Else as `init(document:)`.
  init(document: String, in directory: String) {
    let file = FileURI.path(document)
    let start = directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
    let isInside = file?.utf8.starts(with: start.utf8) ?? true
    let rest = file.flatMap { String($0.utf8.dropFirst(start.utf8.count)) } ?? document
    let parts = rest.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if isInside, parts.allSatisfy({ Self.isPart(String($0) ?? "") }) {
      self.init(path: rest)
    } else {
      self.init(document: document)
    }
  }

  /// True for a name that a file or folder of a repository can have.
  private static func isPart(_ name: String) -> Bool {
    // `git~1` is a short name of `.git` on other systems.
    let isReserved =
      name == "." || name == ".." || [".git", "git~"].contains { name.lowercased().hasPrefix($0) }
    return !name.isEmpty && !name.utf8.contains(0) && name.utf8.count <= 255 && !isReserved
  }

  /// The path as git writes it: between quotation marks, with escapes, if a character needs them.
  func quoted(prefix: String = "") -> String {
    let needsQuotes = path.utf8.contains { $0 < 0x20 || $0 >= 0x7F || $0 == 0x22 || $0 == 0x5C }
    guard needsQuotes else { return prefix + path }
    return path.utf8.reduce(into: "\"" + prefix) { result, byte in
      switch byte {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x07...0x0D: result += "\\" + Self.letters[Int(byte) - 0x07]
      case 0..<0x20, 0x7F...:
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default: result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    } + "\""
  }

  /// The escapes of the bytes from 7 on.
  private static let letters = ["a", "b", "t", "n", "v", "f", "r"]

  /// The path as the lines `---` and `+++` of a patch have it: `patch` takes a name with a space as a whole
  /// only if a tab follows it.
  func header(prefix: String) -> String {
    quoted(prefix: prefix) + (path.utf8.contains(0x20) ? "\t" : "")
  }
}
