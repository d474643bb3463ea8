import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// The examples of the article, sent to a daemon in their order.
@Suite(.timeLimit(.minutes(10))) struct ArticleSessionTests {
  @Test func `a daemon answers each example as the article says`() async throws {
    let messages = try ProtocolArticle.examples().map { try JSON.parse($0) }
    try await withClient { client, _ in
      var sent = 0
      for (call, answer) in zip(messages, messages.dropFirst()) {
        guard let method = try call["method"]?.asString(), let answer = answer["result"] else {
          continue
        }
        let params = try await prepare(method, call["params"] ?? .null, client)
        let result = try await client.call(method, params)
        compare(answer, result, at: method)
        sent += 1
      }
      #expect(sent >= Methods.names.count)
    }
  }

  /// Makes what the article takes for granted, and returns the params.
  private func prepare(
    _ method: String, _ params: JSON, _ client: EditLogClient
  ) async throws -> JSON {
    switch method {
    case "editlog/trace":
      let text = String(repeating: String(repeating: "x", count: 59) + "\n", count: 80)
      _ = try await client.append("essay", put(text + String(repeating: "y", count: 19)), put("z"))
      let removal = EditAction(replacing: UTF16Range(100..<1_300), with: "")
      _ = try await client.append("essay", AppendEdit(action: removal, origin: .removal))
    case "editlog/paragraphs" where params["dead"] != nil:
      let removal = EditAction(replacing: UTF16Range(5..<11), with: "")
      _ = try await client.append("poem", put("hello\nworld"))
      _ = try await client.append("poem", AppendEdit(action: removal, origin: .removal))
    case "editlog/log" where params["textMax"] != nil:
      let paste = EditAction(replacing: UTF16Range(0..<5), with: "goodbye my good book")
      _ = try await client.append("letter", put("hello"))
      _ = try await client.append(
        "letter", AppendEdit(action: paste, origin: .paste, author: "ann"))
    case "editlog/insertAttachment": _ = try await client.append("pictures", put("hello"))
    case "editlog/agents":
      let edit = EditAction(replacing: UTF16Range(0..<7), with: "Best")
      _ = try await client.append(
        "report",
        AppendEdit(
          action: EditAction(replacing: UTF16Range(0..<0), with: "A draft text"), origin: .program,
          author: "claude"))
      _ = try await client.append("report", AppendEdit(action: edit, author: "ann"))
    case "editlog/log":
      _ = try await client.call(
        "editlog/mark", ["document": "notes", "label": "draft", "at": 2, "author": "ada"])
    case "editlog/formerName":
      let (old, new) = ("file:///home/ada/old.txt", "file:///home/ada/new.txt")
      _ = try await client.append(old, put("renamed"))
      _ = try await client.call("initialize")
      let rename = DidRenameFilesParams.Rename(oldURI: document(old), newURI: document(new))
      try await client.notify(
        "workspace/didRenameFiles", DidRenameFilesParams(files: [rename]).json)
    case "editlog/redo": _ = try await client.call("editlog/undo", params)
    case "editlog/verify":
      // The article's head is of another run.
      let status = try await client.call("editlog/status", ["heads": true])
      return ["heads": status["heads"] ?? []]
    default: break
    }
    return params
  }

  /// Members whose values are of one run, or of one machine.
  private static let volatile: Set = [
    "time", "timeMicros", "firstTime", "lastTime", "fromTime", "toTime", "bytes", "head", "phases",
    "total", "linear", "waiting", "activeMicros",
  ]
  /// Methods whose answers are about the store's files: compared by their form.
  private static let aboutFiles: Set = [
    "editlog/status", "editlog/verify", "editlog/usage", "editlog/forget", "editlog/repair",
  ]

  /// Records each difference of form, and of a value that is the same in each run.
  private func compare(_ expected: JSON, _ found: JSON, at path: String, isExact: Bool = true) {
    switch (expected, found) {
    case (.object(let expected), .object(let found)):
      for member in expected.members {
        let path = "\(path) \(member.name)"
        guard let value = found[member.name] else {
          Issue.record("\(path): missing")
          continue
        }
        let isExact =
          isExact && !Self.volatile.contains(member.name)
          && !Self.aboutFiles.contains { path.hasPrefix($0) }
        compare(member.value, value, at: path, isExact: isExact)
      }
    case (.array(let expected), .array(let found)):
      #expect(expected.count == found.count || !isExact, "\(path)")
      for (left, right) in zip(expected, found) { compare(left, right, at: path, isExact: isExact) }
    default:
      #expect(Self.kind(expected) == Self.kind(found), "\(path)")
      #expect(expected == found || !isExact, "\(path): \(found)")
    }
  }

  private static func kind(_ value: JSON) -> String {
    switch value {
    case .null: "null"
    case .bool: "bool"
    case .integer, .double: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}
