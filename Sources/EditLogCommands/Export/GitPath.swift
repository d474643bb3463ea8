import EditProtocol

/// The path of a document in a repository: the last part of its name, or of its file's path.
struct GitPath {
  /// The path, which has no slash.
  let path: String

  /// The path for the document of this name. A name that a repository cannot have becomes `document`.
  init(document: String) {
    let name = FileURI.path(document) ?? document
    let last = name.split(separator: "/").last.map(String.init) ?? ""
    let isPath = !last.utf8.contains(0) && last.utf8.count <= 255
    // `git~1` is a short name of `.git` on other systems.
    let isReserved =
      last == "." || last == ".." || [".git", "git~"].contains { last.lowercased().hasPrefix($0) }
    path = isPath && !isReserved && !last.isEmpty ? last : "document"
  }

  /// The path as git writes it: between quotation marks, with escapes, if a character needs them.
  func quoted(prefix: String = "") -> String {
    let needsQuotes = path.utf8.contains { $0 < 0x20 || $0 >= 0x7F || $0 == 0x22 || $0 == 0x5C }
    guard needsQuotes else { return prefix + path }
    return path.utf8.reduce(into: "\"" + prefix) { result, byte in
      switch byte {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0..<0x20, 0x7F...:
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default: result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    } + "\""
  }
}
