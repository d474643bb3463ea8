import EditJSON
import EditModel
import EditProtocol
import TestSupport
import TextState
import Testing

@testable import EditorSync

struct LSPWriterTests {
  private static let clients = [
    LSPClient(InitializeParams()), LSPClient(InitializeParams(clientName: "emacs")),
    LSPClient(InitializeParams(positionEncodings: ["utf-32", "utf-16"])),
    LSPClient(InitializeParams(clientName: "Neovim")),
  ]

  /// Each range of each text reads back as it was written, but those that begin or end inside a
  /// surrogate pair or a CR LF.
  @Test(arguments: clients)
  func `a written range is read as the same range`(client: LSPClient) throws {
    for text in [
      "", "\n", "a", "a\n", "a\r\nb", "a\rb\nc", "\r\r\n\ra\u{2029}b\r",
      "\u{1F600}\u{20B9F}x\ne\u{301}\u{1F469}\r\n",
    ] as [UTF16Text] {
      var state = TextState()
      if !text.isEmpty {
        try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: text))
      }
      for start in 0...text.count {
        for end in start...text.count {
          let range = UTF16Range(start..<end)
          let written = LSPWriter(client: client).range(range, in: state)
          let lines = LSPLines(state, of: client)
          let splits = [start, end].contains {
            state.splitsSurrogatePair(at: $0) || lines.splitsLineEnd(at: $0)
          }
          #expect((written == nil) == splits)
          guard let written else { continue }
          var anomalies: [LSPAnomaly] = []
          let change = DidChangeParams.Change(range: written, text: "X")
          let reader = LSPReader(client: client, bufferEndsInNewline: true)
          #expect(
            reader.actions(for: change, in: state, noting: &anomalies)
              == [EditAction(replacing: range, with: "X")])
          #expect(anomalies == [])
        }
      }
    }
  }

  /// LSP has no position inside a CR LF.
  @Test(arguments: [
    ("a\r\nb", 1, 2, "", 0, 1, 1, 0, "\n"), ("a\r\nb", 2, 3, "", 0, 1, 1, 0, "\r"),
    ("a\r\nb", 2, 2, "x", 0, 1, 1, 0, "\rx\n"),
  ])
  func `an edit inside a CR LF is one of the whole of it`(
    text: String, lower: Int, upper: Int, new: String, line: Int, column: Int, endLine: Int,
    endColumn: Int, sent: String
  ) throws {
    var state = TextState()
    try state.advance(
      by: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
    var session = LSPSession(client: Self.clients[0])
    let name = try #require(DocumentID("a"))
    session.documents[name] = OpenDocument(name, version: 7, endsInNewline: false)
    let edit = EditAction(replacing: UTF16Range(lower..<upper), with: UTF16Text(new))
    let asked = try #require(session.applyEdit([edit], to: name, in: state))
    let range = LSPRange(
      start: LSPPosition(line: line, character: column),
      end: LSPPosition(line: endLine, character: endColumn))
    #expect(
      asked.params["edit"] == [
        "documentChanges": [
          [
            "textDocument": ["uri": "a", "version": 7],
            "edits": [["range": range.json, "newText": JSON(sent)]],
          ]
        ]
      ])
  }

  @Test func `several edits are one change, and edits of attributes none`() throws {
    var state = TextState()
    try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: "one two three"))
    var session = LSPSession(client: Self.clients[0])
    let name = try #require(DocumentID("a"))
    session.documents[name] = OpenDocument(name, version: 7, endsInNewline: false)
    let edits = [
      EditAction(replacing: UTF16Range(4..<7), with: "2"),
      EditAction(replacing: UTF16Range(0..<3), with: "1"),
    ]
    let asked = try #require(session.applyEdit(edits, to: name, in: state))
    #expect(asked.after.text == "1 2 three")
    let range = LSPRange(
      start: LSPPosition(line: 0, character: 0), end: LSPPosition(line: 0, character: 7))
    #expect(
      asked.params["edit"] == [
        "documentChanges": [
          [
            "textDocument": ["uri": "a", "version": 7],
            "edits": [["range": range.json, "newText": "1 2"]],
          ]
        ]
      ])
    let bold = try EditAction(
      range: UTF16Range(0..<3), replacement: nil, attributes: .remove(["bold"]))
    #expect(session.applyEdit([bold], to: name, in: state) == nil)
    // An edit that changes nothing would not be reported.
    let same = EditAction(replacing: UTF16Range(0..<3), with: "one")
    #expect(session.applyEdit([same], to: name, in: state) == nil)
  }

  /// Neovim has no line after the last newline. Asked to take it away and to bring it back, it makes
  /// another change.
  @Test(arguments: 0..<500 as Range<UInt64>)
  func `a change leaves the last newline alone`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    func lines() -> UTF16Text {
      let newline = ["\r\n", "\n"].randomElement(using: &generator) ?? "\n"
      let lines = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        ["", "a", "ab", "\u{1F600}", "\u{1F601}"].randomElement(using: &generator) ?? ""
      }
      return UTF16Text(lines.map { $0 + newline }.joined())
    }
    let (before, after) = (lines(), lines())
    var state = TextState()
    try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: before))
    let change = state.change(to: after)
    #expect(change.range.upperBound < before.count, "seed \(seed)")
    #expect(!state.splitsSurrogatePair(at: change.range.location), "seed \(seed)")
    #expect(!state.splitsSurrogatePair(at: change.range.upperBound), "seed \(seed)")
    try state.advance(by: change)
    #expect(state.text == after, "seed \(seed)")
  }
}
