import EditJSON
import EditModel
import EditProtocol
import NIOCore
import Testing

@Suite struct MessageTests {
  @Test(arguments: [
    RPCMessage.request(id: .integer(1), method: "editlog/status", params: .null),
    .request(id: .string("a\u{0}"), method: "x", params: [1, 2]),
    .request(id: .string(JSONString(UTF16Text(units: [0xD800]))), method: "x", params: ["a": 1]),
    .notification(method: "initialized", params: [:]),
    .response(id: .integer(.min), result: .null), .response(id: .integer(7), result: ["a": []]),
    .failure(id: nil, ProtocolError(.parseError, "no")),
    .failure(id: .integer(3), .overloaded(retryAfterMillis: 50)),
  ])
  func roundTrips(message: RPCMessage) throws {
    #expect(try RPCMessage(json: JSON.parse(message.json.serialized())) == message)
    #expect(try RPCMessage(body: .init(bytes: message.json.serialized())) == message)
  }

  @Test(arguments: [
    ("[]", "a message must be an object; batches are not supported"),
    (#"{"id":1,"method":"x"}"#, #"jsonrpc must be "2.0""#),
    (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, #"jsonrpc must be "2.0""#),
    (#"{"jsonrpc":"2.0","id":1,"method":2}"#, "method must be a string"),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, "id must be an integer or a string"),
    (#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, "id must be an integer or a string"),
    (#"{"jsonrpc":"2.0","id":1,"method":"x","params":1}"#, "params must be an object or an array"),
    (#"{"jsonrpc":"2.0","id":1}"#, "a message must have a method, or either a result or an error"),
    (
      #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
      "a message must have a method, or either a result or an error"
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}"#,
      #"error.code must be an integer, but is a string of 1 bytes"#
    ),
  ])
  func whatIsNoMessageIsRefused(text: String, reason: String) throws {
    let json = try JSON.parse(text)
    let error = #expect(throws: ProtocolError.self) { try RPCMessage(json: json) }
    #expect(error == ProtocolError(.invalidRequest, reason))
  }

  @Test func whoSentABadRequestIsKnown() throws {
    #expect(RPCMessage.id(in: try JSON.parse(#"{"id":5,"method":2}"#)) == .integer(5))
    #expect(RPCMessage.id(in: []) == nil)
  }
}

@Suite struct ProtocolErrorTests {
  /// Numbers, names and exit statuses are promises: this list is what the article says.
  @Test func theListNeverChanges() {
    let list = ProtocolError.Code.allCases.map { "\($0.rawValue) \($0.name) \($0.exitStatus)" }
    #expect(
      list == [
        "1 unknownDocument 66", "2 unknownPoint 66", "3 sequenceConflict 75", "4 invalidEdit 65",
        "5 beyondRetention 80", "6 damagedLog 65", "7 diverged 65", "8 overloaded 75",
        "9 notPermitted 77", "10 noSpace 74", "11 newerFormat 78", "12 storeUnreadable 74",
        "13 unreachable 69", "14 tooLarge 65", "15 openInEditor 75", "16 unresponsive 69",
        "-32700 parseError 70",
        "-32600 invalidRequest 70", "-32601 methodNotFound 70", "-32602 invalidParams 64",
        "-32603 internalError 70", "-32002 serverNotInitialized 70",
        "-32800 requestCancelled 75",
      ])
    #expect(
      ProtocolError.Code.allCases.filter(\.isRetryable) == [
        .overloaded, .noSpace, .unreachable, .unresponsive,
      ])
  }

  @Test(arguments: ProtocolError.Code.allCases)
  func roundTrips(code: ProtocolError.Code) throws {
    let error = ProtocolError(code, "what to do", details: ["index": 3])
    #expect(try ProtocolError(json: JSON.parse(error.json.serialized())) == error)
    #expect(error.json["data"]?["name"] == JSON(code.name))
  }

  @Test func aCodeFromTheFutureKeepsItsNumber() throws {
    let error = try ProtocolError(
      json: ["code": 99, "message": "no", "data": ["name": "tooHot", "x": 1]])
    #expect(error == ProtocolError(.internalError, "no", details: ["x": 1, "code": 99]))
  }

  @Test func aFindingFromTheFutureIsDamage() throws {
    let answer = try VerifyRequest.answer([
      "sound": false, "documents": 1, "edits": 2, "events": 0, "badCheckpoints": 0,
      "confirmed": 0, "heads": [],
      "findings": [["kind": "scorched", "file": "f", "what": "w"]],
    ])
    #expect(answer.findings.map(\.kind) == [.damaged])
  }

  @Test func messagesSayWhatToDo() throws {
    let document = try #require(DocumentID("a"))
    #expect(
      ProtocolError.unknownDocument(document).message
        == "there is no document a; `editlog documents` lists all documents")
    #expect(
      ProtocolError.sequenceConflict(document: document, base: 3, latest: 5).json["data"]
        == [
          "name": "sequenceConflict", "retryable": false, "document": "a", "base": 3, "latest": 5,
        ])
  }
}
