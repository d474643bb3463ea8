import EditJSON
import EditModel
import EditProtocol
import Testing

@Suite struct LSPTests {
  /// What clients offer, what is answered, and what their columns then count.
  @Test(arguments: [
    ("{}", PositionEncoding.utf16, PositionEncoding.utf16),
    (#"{"capabilities":{"general":{"positionEncodings":["utf-16"]}}}"#, .utf16, .utf16),
    (#"{"capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]}}}"#, .utf16, .utf16),
    (#"{"capabilities":{"general":{"positionEncodings":["utf-16","utf-32"]}}}"#, .utf32, .utf32),
    (#"{"clientInfo":{"name":"emacs"}}"#, .utf16, .utf32),
    (
      #"{"clientInfo":{"name":"emacs"},"capabilities":{"general":{"positionEncodings":["utf-16"]}}}"#,
      .utf16, .utf16
    ),
    (#"{"clientInfo":7,"capabilities":[1]}"#, .utf16, .utf16), ("null", .utf16, .utf16),
  ])
  func encodings(text: String, answer: PositionEncoding, columns: PositionEncoding) throws {
    let params = InitializeParams(json: try JSON.parse(text))
    #expect(params.positionEncoding == answer)
    #expect(params.columnEncoding == columns)
  }

  @Test func capabilitiesAreTheWholeObject() throws {
    let result = InitializeResult(positionEncoding: .utf16, version: "1.2.3", frameSizeMax: 100)
    #expect(
      result.json["capabilities"]?["textDocumentSync"]?.description
        == #"{"openClose":true,"change":2,"willSave":true,"save":{"includeText":true}}"#)
    #expect(result.json["capabilities"]?["positionEncoding"] == "utf-16")
    #expect(result.json["capabilities"]?["experimental"]?["editlog"]?["frameSizeMax"] == 100)
    #expect(result.json["serverInfo"] == ["name": "editlogd", "version": "1.2.3"])
  }

  @Test func notificationsRoundTrip() throws {
    let uri = try #require(DocumentID("file:///a"))
    let range = LSPRange(
      start: LSPPosition(line: 1, character: 2), end: LSPPosition(line: 3, character: 0))
    let open = DidOpenParams(
      uri: uri, languageID: "swift", version: 0, text: UTF16Text(units: [0xDC00, 0x0A]))
    #expect(try DidOpenParams(json: JSON.parse(open.json.serialized())) == open)
    let change = DidChangeParams(
      uri: uri, version: 4,
      changes: [.init(range: range, text: "x"), .init(range: nil, text: "all")])
    #expect(try DidChangeParams(json: JSON.parse(change.json.serialized())) == change)
    for save in [DidSaveParams(uri: uri, text: "t"), DidSaveParams(uri: uri)] {
      #expect(try DidSaveParams(json: save.json) == save)
    }
    let close = TextDocumentParams(uri: uri)
    #expect(try TextDocumentParams(json: close.json) == close)
    let rename = DidRenameFilesParams(files: [
      .init(oldURI: uri, newURI: try #require(DocumentID("file:///b")))
    ])
    #expect(try DidRenameFilesParams(json: rename.json) == rename)
  }

  /// What real clients send beside the needed members, or instead of sensible ones.
  @Test func oddMembersAreNoReasonToLoseAnEdit() throws {
    let text = """
      {"textDocument":{"uri":"file:///a","version":null,"x":1},"y":[],
       "contentChanges":[{"range":{"start":{"line":-1,"character":99999999999},"end":{"line":5,"character":0}},
       "rangeLength":-7.5,"text":"x"},{"range":null,"text":"all"}]}
      """
    let params = try DidChangeParams(json: JSON.parse(text))
    #expect(params.version == nil)
    #expect(params.changes[0].range?.start == LSPPosition(line: 0, character: 2_147_483_647))
    #expect(params.changes[1].range == nil)
  }

  @Test func missingMembersAreNamed() throws {
    let json = try JSON.parse(
      #"{"textDocument":{"uri":"a"},"contentChanges":[{"text":"a"},{"range":{"start":{"line":0}},"text":"b"}]}"#
    )
    let error = #expect(throws: ProtocolError.self) {
      try json.params { (json) throws(ShapeError) in try DidChangeParams(json: json) }
    }
    #expect(
      error?.message
        == "params.contentChanges[1].range.start.character must be an integer, but is missing")
    let open = try JSON.parse(#"{"textDocument":{"text":""}}"#)
    let openError = #expect(throws: ShapeError.self) { try DidOpenParams(json: open) }
    #expect(openError?.path == "textDocument.uri")
  }
}
