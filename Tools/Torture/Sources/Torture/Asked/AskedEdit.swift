import EditJSON
import EditProtocol
import Glibc
import TestSupport

/// One edit that an editor is asked to make, and the kill of the daemon at a step of it.
struct AskedEdit {
  /// When the daemon is killed.
  private enum Step: UInt64, CaseIterable {
    case sent, asked, made, reported, answered
  }

  private let daemon: DaemonProcess
  private let step: Step
  private let document: String
  private let marker: String
  private let place: Int
  /// True if the request is sent again before the editor is back.
  private let clientIsFirst: Bool
  /// True if the user types beside the edit while the daemon is away.
  private let typesMeanwhile: Bool
  private let pause: UInt32
  private var buffer: String
  private var version: Int64 = 1

  init(_ daemon: DaemonProcess, _ number: Int, _ random: inout SplitMix64) throws {
    self.daemon = daemon
    step = Step(rawValue: random.next() % UInt64(Step.allCases.count)) ?? .asked
    (document, marker) = ("untitled:\(number)", "<\(random.next() % 1_000_000)>")
    buffer = "some words of a text\n"
    place = Int(random.next() % 20)
    (clientIsFirst, typesMeanwhile) = (random.next() % 4 == 0, random.next() % 3 == 0)
    pause = UInt32(random.next() % 3_000)
  }

  mutating func run() throws {
    var editor = try opened()
    let client = try PlainConnection(to: daemon.socket)
    _ = try client.request("editlog/append", params)
    try advance(editor, client)
    daemon.kill()
    try daemon.start()
    if typesMeanwhile, step == .asked || step == .made { buffer += "typed" }
    var answers: [JSON] = []
    if clientIsFirst { answers.append(try send(with: nil)) }
    editor = try opened()
    for _ in 0..<2 { answers.append(try send(with: editor)) }
    try check(answers)
  }

  // MARK: The editor

  private func opened() throws -> PlainConnection {
    let editor = try PlainConnection(to: daemon.socket)
    _ = try editor.call(
      "initialize",
      [
        "processId": .null, "rootUri": .null,
        "capabilities": ["workspace": ["applyEdit": true]],
      ])
    try editor.notify("initialized", [:])
    let text: JSON = [
      "uri": JSON(document), "languageId": "x", "version": .integer(version), "text": JSON(buffer),
    ]
    try editor.notify("textDocument/didOpen", ["textDocument": text])
    // An answer comes after the notification is logged.
    _ = try editor.call("editlog/state", ["document": JSON(document)])
    return editor
  }

  /// Goes on to the step at which the daemon is killed.
  private mutating func advance(_ editor: PlainConnection, _ client: PlainConnection) throws {
    guard step != .sent else { return _ = usleep(pause) }
    while true {
      let message = try editor.next()
      guard message["method"] == "workspace/applyEdit" else { continue }
      if step == .asked { return }
      make()
      if step == .made { return }
      try report(to: editor, message["id"] ?? .null)
      if step == .answered { _ = try client.next() } else { usleep(pause) }
      return
    }
  }

  private mutating func make() {
    let index = buffer.utf8.index(buffer.startIndex, offsetBy: place)
    buffer.insert(contentsOf: marker, at: index)
    version += 1
  }

  private func report(to editor: PlainConnection, _ id: JSON) throws {
    let position: JSON = ["line": 0, "character": .integer(Int64(place))]
    let change: JSON = ["range": ["start": position, "end": position], "text": JSON(marker)]
    try editor.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": JSON(document), "version": .integer(version)],
        "contentChanges": [change],
      ])
    try editor.send(["jsonrpc": "2.0", "id": id, "result": ["applied": true]])
  }

  // MARK: The client

  private var params: JSON {
    let edit: JSON = [
      "actions": ["characters"], "location": .integer(Int64(place)), "length": 0,
      "changeInLength": .integer(Int64(marker.utf16.count)), "text": JSON(marker),
    ]
    return [
      "document": JSON(document), "session": JSON("run \(marker)"), "counter": 1, "author": "agent",
      "edits": [edit],
    ]
  }

  /// Sends the request until it is answered, while the editor makes what it is asked for.
  private mutating func send(with editor: PlainConnection?) throws -> JSON {
    let client = try PlainConnection(to: daemon.socket)
    while true {
      _ = try client.request("editlog/append", params)
      while !client.isReadable(within: 1) {
        guard let editor, editor.isReadable(within: 1) else { continue }
        let message = try editor.next()
        guard message["method"] == "workspace/applyEdit" else { continue }
        make()
        try report(to: editor, message["id"] ?? .null)
      }
      let answer = try client.next()
      guard answer.errorCode == Int64(ProtocolError.Code.overloaded.rawValue) else {
        return answer
      }
      usleep(20_000)
    }
  }

  // MARK: What must be

  private func check(_ answers: [JSON]) throws {
    func failure(_ what: String, _ detail: String) -> StateCheck.Failure {
      StateCheck.Failure(what: what, detail: "killed when \(step): \(detail)")
    }
    let reader = try PlainConnection(to: daemon.socket)
    let state = try reader.call("editlog/state", ["document": JSON(document)])
    guard let text = state["result"]?["text"]?.anyString else {
      throw failure("no text", "\(state)")
    }
    let count = text.split(separator: marker, omittingEmptySubsequences: false).count - 1
    // A client that is first has the edit logged; an editor that lacks it then takes it back.
    guard count == 1 || count == 0 && clientIsFirst else {
      throw failure("the edit is in the text \(count) times", text)
    }
    guard text == buffer else {
      throw failure("the log and the editor differ", "\(text) and \(buffer)")
    }
    for answer in answers {
      guard answer["result"]?["durable"] == true else {
        throw failure("a request has no answer", "\(answer)")
      }
    }
    let places = Set(answers.map { "\($0["result"]?["first"] ?? .null)" })
    guard places.count == 1 else { throw failure("a request has two answers", "\(answers)") }
  }
}
