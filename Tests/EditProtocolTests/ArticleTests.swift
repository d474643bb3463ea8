import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import TestSupport
import Testing

/// The article is the contract, so its examples are read here as a client's author reads them.
@Suite struct ArticleTests {
  @Test func everyExampleIsAMessageOfItsShape() throws {
    var kinds: [String: Int] = [:]
    // The calls by their identifiers: an answer has the shape that its call's type says.
    var calls: [RPCID: any MethodRequest.Type] = [:]
    for line in try ProtocolArticle.examples() {
      let json = try JSON.parse(line)
      #expect(json.description == line, "written in another way")
      kinds[try Self.check(json, &calls), default: 0] += 1
    }
    let methods = Set(calls.values.map { $0.method })
    #expect(methods == Set(Methods.names), "each method has an example")
    #expect(kinds["call", default: 0] >= 12)
    #expect(kinds["change"] == 3)
    #expect(kinds["capabilities"] == 1)
    #expect(kinds["introduction"] == 1)
    #expect(kinds["delivery"] == 6)
    #expect(kinds["progress"] == 2)
    #expect(kinds["cancel"] == 1)
  }

  /// The annotated bytes under *Following* of the native dialect.
  @Test func theBytesOfASubscriptionAreAsTheyAreWritten() throws {
    let lines = try ProtocolArticle.text().split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("89 07 00 00") })
    let end = try #require(lines[start...].firstIndex { $0.hasPrefix("```") })
    let bytes = lines[start..<end].flatMap { line in
      // Three spaces end the bytes of a line.
      let comment = line.firstRange(of: "   ")?.lowerBound ?? line.startIndex
      return line[..<comment].split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    let subscribe = NativeFollowing(
      1, SubscribeRequest(document("notes"), from: HistoryPosition(), credit: 1_000))
    let edit = Edit(
      sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "hi"),
      origin: .typing, transaction: 1, author: nil, session: SessionID("s"), counter: 1,
      time: try #require(Timestamp(rfc3339: "2026-11-20T15:04:05.123Z")))
    let delivery = Delivery(
      subscription: 1, document: document("notes"), entries: [.edit(edit)],
      next: HistoryPosition(after: 1))
    var expected = ByteWriter()
    subscribe.write(to: &expected)
    #expect(bytes == expected.bytes + (try delivery.nativeFrame()))
  }

  @Test func theErrorTableIsTheList() throws {
    let rows = try ProtocolArticle.text().split(separator: "\n").filter { line in
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
  private static func check(
    _ json: JSON, _ calls: inout [RPCID: any MethodRequest.Type]
  ) throws -> String {
    if json["initializationOptions"] != nil {
      #expect(try ClientIdentity(initialize: json)?.initializeParams == json)
      return "introduction"
    }
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
    case .request(let id, let method, let params):
      let request = try Methods.request(method, params)
      #expect(try Methods.request(method, request.params).params == request.params)
      checkMembers(of: params, request)
      calls[id] = type(of: request)
    case .response(let id, let result):
      guard let call = calls[id] else {
        Issue.record("an answer without a call: \(id)")
        break
      }
      try check(call, result)
    case .failure(_, let error):
      #expect(error.json == json["error"])
      return "failure"
    case .notification(ProgressParams.method, let params):
      #expect(try #require(ProgressParams(json: params)).message.json == json)
      return "progress"
    case .notification(CancelParams.method, let params):
      let id = try #require(params["id"].flatMap(RPCID.init))
      #expect(CancelParams.message(cancelling: id).json == json)
      return "cancel"
    case .notification(let method, let params):
      #expect(method == Delivery.method)
      let delivery = try Delivery(params: params)
      #expect(delivery.params.sorted == params.sorted)
      return "delivery"
    }
    return "call"
  }

  /// Each member of params is one that the schema names.
  private static func checkMembers<Request: MethodRequest>(of params: JSON, _ request: Request) {
    guard case .object(let object) = params,
      case .object(let known)? = Request.definition.params.schema["properties"]
    else { return }
    for member in object.members {
      #expect(known[member.name] != nil, "\(Request.method): \(member.name)")
    }
  }

  private static func check<Request: MethodRequest>(
    _ type: Request.Type, _ result: JSON
  ) throws {
    let answer = Request.answerCodec.encode(try Request.answer(result))
    #expect(answer.sorted == result.sorted, "\(Request.method)")
  }

  /// The table of methods is the one that the types give.
  @Test func theMethodTableIsTheList() throws {
    let rows = try ProtocolArticle.text().split(separator: "\n").filter {
      $0.hasPrefix("| `editlog/")
    }
    #expect(rows.map(String.init) == Methods.articleRows)
  }

  /// Every call and answer of the article has the members that the schemas name, and no others.
  @Test func everySchemaIsComplete() throws {
    guard case .object(let methods)? = Methods.schema["methods"] else {
      Issue.record("no methods")
      return
    }
    #expect(methods.members.map(\.name) == Methods.names)
    for member in methods.members {
      #expect(member.value["params"] != nil && member.value["result"] != nil, "\(member.name)")
    }
  }
}

extension JSON {
  /// The same value, with the members of its objects in the order of their names.
  fileprivate var sorted: JSON {
    switch self {
    case .object(let object):
      var sorted: JSONObject = [:]
      for member in object.members.sorted(by: { $0.name < $1.name }) {
        sorted[member.name] = member.value.sorted
      }
      return .object(sorted)
    case .array(let elements): return .array(elements.map(\.sorted))
    default: return self
    }
  }
}
