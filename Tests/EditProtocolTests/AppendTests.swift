import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct AppendTests {
  private static let edit =
    #"{"actions":["characters"],"location":0,"length":0,"changeInLength":5,"text":"hello"}"#

  @Test func theArticlesExampleIsRead() throws {
    let text = """
      {"document":"file:///a.md","base":4,"session":"s1","counter":7,"author":"Ada","origin":"paste",
       "later":true,"edits":[\(Self.edit),
        {"actions":["characters","attributes"],"location":5,"length":1,"changeInLength":1,"text":"\\ud83dx",
         "attributes":{"set":[{"length":2,"attributes":{"bold":true}}]},"time":"2026-11-20T15:04:05.5Z",
         "origin":"typing","author":"Bob","transaction":1},
        {"actions":["attributes"],"location":0,"length":3,"changeInLength":0,
         "attributes":{"remove":["bold"]},"time":5,"transaction":1},
        {"actions":["characters"],"location":1,"length":2,"changeInLength":-2}]}
      """
    let request = try AppendRequest(json: JSON.parse(text))
    #expect(request.document.name == "file:///a.md")
    #expect(request.base == 4)
    #expect(request.ticket?.counter == 7)
    #expect(request.origin == .paste)
    #expect(request.edits.count == 4)
    #expect(request.edits[0].action == EditAction(replacing: UTF16Range(0..<0), with: "hello"))
    #expect(request.edits[1].action.replacement?.units == [0xD83D, 0x78])
    #expect(request.edits[1].time?.rfc3339 == "2026-11-20T15:04:05.500Z")
    #expect(request.edits[1].transaction == 1)
    #expect(request.edits[2].time == Timestamp(nanoseconds: 5))
    #expect(request.edits[3].action == EditAction(replacing: UTF16Range(1..<3), with: ""))
  }

  /// One member replaced, and what the refusal says.
  @Test(arguments: [
    (#"{"edits":[]}"#, -32602, "params.document must be a string of valid Unicode, but is missing"),
    (
      #"{"document":"","edits":[]}"#, -32602,
      #"params.document must be a name of 1 to 12292 bytes of UTF-8, but is a string of 0 bytes"#
    ),
    (
      #"{"document":"a","edits":[]}"#, -32602,
      "params.edits must be an array of at least one edit, but is empty"
    ),
    (
      #"{"document":"a","saved":true,"session":"s","counter":1,"edits":[]}"#, -32602,
      "params.session must be left out without edits, but is there"
    ),
    (#"{"document":"a"}"#, -32602, "params.edits must be an array, but is missing"),
    (
      #"{"document":"a","base":-1,"edits":[]}"#, -32602,
      "params.base must be an integer of at least 0, but is -1"
    ),
    (
      #"{"document":"a","session":"s","edits":[]}"#, -32602,
      "params.counter must be an integer of at least 1, because session is given, but is missing"
    ),
    (
      #"{"document":"a","counter":1,"edits":[]}"#, -32602,
      "params.session must be a string, because counter is given, but is missing"
    ),
    (
      #"{"document":"a","session":"s","counter":0,"edits":[]}"#, -32602,
      "params.counter must be an integer of at least 1, but is 0"
    ),
    (
      #"{"document":"a","origin":"dream","edits":[]}"#, -32602,
      #"params.origin must be one of typing, removal, paste, undo, redo, load, format, program, external, but is a string of 5 bytes"#
    ),
    ("[]", -32602, "params must be an object, but is an array of 0"),
  ])
  func wrongRequestsNameTheMember(text: String, code: Int, message: String) throws {
    let json = try JSON.parse(text)
    let error = #expect(throws: ProtocolError.self) {
      try json.params { (json) throws(ShapeError) in try AppendRequest(json: json) }
    }
    #expect(error?.code.rawValue == code)
    #expect(error?.message == message)
  }

  @Test(arguments: [
    (
      #""location":-1"#, -32602,
      "params.edits[1].location must be an integer from 0 to 2147483647, but is -1"
    ),
    (
      #""location":1.0"#, -32602,
      "params.edits[1].location must be an integer from 0 to 2147483647, but is a number with a fraction"
    ),
    (
      #""location":"1""#, -32602,
      #"params.edits[1].location must be an integer from 0 to 2147483647, but is a string of 1 bytes"#
    ),
    (
      #""location":9223372036854775807"#, -32602,
      "params.edits[1].location must be an integer from 0 to 2147483647, but is 9223372036854775807"
    ),
    (
      #""length":null"#, -32602,
      "params.edits[1].length must be an integer from 0 to 2147483647, but is null"
    ),
    (
      #""changeInLength":4"#, 4,
      "params.edits[1]: changeInLength is 4, but replacing range {0, 0} by 5 UTF-16 units changes the length by 5"
    ),
    (#""text":5"#, -32602, "params.edits[1].text must be a string, but is an integer"),
    (#""actions":[]"#, 4, "params.edits[1]: the edit changes neither characters nor attributes"),
    (
      #""actions":["words"]"#, -32602,
      #"params.edits[1].actions[0] must be "characters" or "attributes", but is a string of 5 bytes"#
    ),
    (
      #""actions":["attributes"]"#, -32602,
      "params.edits[1].actions must be an array that names characters, because text is given, but is an array of 1"
    ),
    (
      #""actions":["characters","attributes"]"#, -32602,
      "params.edits[1].attributes must be an object, because actions name it, but is missing"
    ),
    (
      #""attributes":{"remove":["b"]}"#, -32602,
      "params.edits[1].actions must be an array that names attributes, because attributes is given, but is an array of 1"
    ),
    (
      #""actions":["characters","attributes"],"attributes":{"set":[{"length":4,"attributes":{}}]}"#,
      4,
      "params.edits[1]: attribute runs cover 4 UTF-16 units of 5, or one of them is empty"
    ),
    (
      #""actions":["characters","attributes"],"attributes":{"set":[{"length":5,"attributes":{"a":[1,null]}}]}"#,
      -32602,
      "params.edits[1].attributes.set[0].attributes[0][1] must be an attribute value, but is null"
    ),
    (
      #""attributes":{"set":[],"merge":[]}"#, -32602,
      "params.edits[1].attributes must be an object with exactly one of set, merge and remove, but is one with set, merge"
    ),
    (
      #""time":"yesterday""#, -32602,
      #"params.edits[1].time must be a time such as 2026-11-20T15:04:05Z, or nanoseconds since 1970 as an integer, but is a string of 9 bytes"#
    ),
    (
      #""transaction":"x""#, -32602,
      #"params.edits[1].transaction must be an integer, but is a string of 1 bytes"#
    ),
    (
      #""author":"""#, -32602,
      #"params.edits[1].author must be a name of 1 to 1024 bytes of UTF-8, but is a string of 0 bytes"#
    ),
  ])
  func wrongEditsNameIndexAndMember(member: String, code: Int, message: String) throws {
    var edit = try JSON.parse(Self.edit).asObject()
    for (name, value) in try JSON.parse("{\(member)}").asObject().members.map({
      ($0.name, $0.value)
    }) {
      edit[name] = value
    }
    let params: JSON = ["document": "a", "edits": [try JSON.parse(Self.edit), .object(edit)]]
    let error = #expect(throws: ProtocolError.self) {
      try params.params { (json) throws(ShapeError) in try AppendRequest(json: json) }
    }
    #expect(error?.code.rawValue == code)
    #expect(error?.message == message)
  }

  @Test(arguments: UInt64(0)..<32)
  func requestsRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let some = Bool.random(using: &random)
      let request = AppendRequest(
        document: try #require(DocumentID(.random(using: &random))), base: some ? .max : nil,
        ticket: some
          ? RequestTicket(session: try #require(SessionID("s")), counter: random.next() | 1) : nil,
        author: some ? "Ada" : nil, origin: some ? .external : nil,
        atRest: some, isSaved: some,
        edits: try (0..<3).map { index in
          AppendEdit(
            action: try .random(using: &random),
            time: some ? Timestamp(nanoseconds: .random(using: &random)) : nil,
            origin: some ? .undo : nil, author: some ? nil : "Bob",
            transaction: some ? .random(using: &random) : nil)
        })
      #expect(try AppendRequest(json: JSON.parse(request.json.serialized())) == request)
    }
  }

  @Test func resultsRoundTrip() throws {
    for result in [
      AppendResult(first: 1, sequence: 3, durable: true),
      AppendResult(first: 4, sequence: 4, durable: false, head: "ab12", duplicate: true),
    ] {
      #expect(try AppendResult(json: JSON.parse(result.json.serialized())) == result)
    }
    let forward = ForwardRequest(
      ticket: RequestTicket(session: try #require(SessionID("s")), counter: 2),
      method: "textDocument/didSave", params: ["a": [1]])
    #expect(try ForwardRequest(json: JSON.parse(forward.json.serialized())) == forward)
    let answer = ForwardResult(counter: 2, durable: true)
    #expect(try ForwardResult(json: answer.json) == answer)
  }
}
