import Glibc

/// The article about the protocol, whose examples the tests read and send.
public enum ProtocolArticle {
  /// The article as Markdown.
  public static func text() throws -> String {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(package)/Sources/EditProtocol/EditProtocol.docc/Protocol.md"
    guard let file = fopen(path, "r") else { throw Missing(path: path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The lines of its blocks of JSON.
  public static func examples() throws -> [String] {
    var (lines, isInside) = ([String](), false)
    for line in try text().split(separator: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```json"
      } else if isInside {
        lines.append(String(line))
      }
    }
    return lines
  }

  private struct Missing: Error {
    let path: String
  }
}
