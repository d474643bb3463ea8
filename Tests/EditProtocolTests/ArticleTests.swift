import EditJSON
import EditModel
import EditProtocol
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The article is the contract, so its examples are read here as a client's author reads them.
@Suite struct ArticleTests {
  @Test func everyExampleIsAMessageOfItsShape() throws {
    var kinds: [String: Int] = [:]
    for line in try Self.examples() {
      let json = try JSON.parse(line)
      #expect(json.description == line, "written in another way")
      kinds[try Self.check(json), default: 0] += 1
    }
    #expect(kinds["call", default: 0] >= 12)
    #expect(kinds["change"] == 3)
    #expect(kinds["capabilities"] == 1)
  }

  @Test func theErrorTableIsTheList() throws {
    let rows = try Self.article().split(separator: "\n").filter { line in
      ProtocolError.Code.allCases.contains { line.hasPrefix("| \($0.rawValue) |") }
    }
    let expected = ProtocolError.Code.allCases.map { code in
      "| \(code.rawValue) | `\(code.name)` | \(code.exitStatus) |"
    }
    #expect(
      rows.map { $0.split(separator: "|").prefix(3).joined(separator: "|") }
        == expected.map { $0.split(separator: "|").joined(separator: "|") })
  }

  /// Reads an example as what it is, and says what that was.
  private static func check(_ json: JSON) throws -> String {
    if json["capabilities"] != nil {
      let result = InitializeResult(
        positionEncoding: .utf16, version: "0.1.0",
        frameSizeMax: FrameDecoder.defaultFrameSizeMax)
      #expect(result.json == json)
      return "capabilities"
    }
    guard json["jsonrpc"] != nil else {
      let change = try AttributeChange(json: json)
      #expect(change.json == json)
      return "change"
    }
    switch try RPCMessage(json: json) {
    case .request(_, "editlog/append", let params):
      #expect(try AppendRequest(json: params).json == params)
    case .request(_, "editlog/forward", let params):
      #expect(try ForwardRequest(json: params).json == params)
    case .request: break
    case .response(_, let result): try check(result: result)
    case .failure(_, let error):
      #expect(error.json == json["error"])
      return "failure"
    case .notification: Issue.record("no example is a notification")
    }
    return "call"
  }

  private static func check(result: JSON) throws {
    if result["first"] != nil { #expect(try AppendResult(json: result).json == result) }
    if let entries = result["entries"] {
      for entry in try entries.asArray() {
        #expect(try HistoryEntry(json: entry).json == entry)
      }
    }
    // Elsewhere it is their number.
    if case .array(let edits)? = result["edits"] {
      for edit in edits { #expect(try AppendEdit(json: edit).json == edit) }
    }
  }

  /// The lines of the article's blocks of JSON.
  private static func examples() throws -> [String] {
    var (lines, isInside) = ([String](), false)
    for line in try article().split(separator: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```json"
      } else if isInside {
        lines.append(String(line))
      }
    }
    return lines
  }

  private static func article() throws -> String {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(package)/Sources/EditProtocol/EditProtocol.docc/Protocol.md"
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
