import DaemonTestSupport
import EditJSON
import EditModel
import EditProtocol
import EditorSync
import Logging
import NIOCore
import TestSupport
import Testing

@testable import EditDaemon

/// The daemon's log contains no value of any member of a message.
@Suite(.timeLimit(.minutes(10))) struct CanaryTests {
  /// A text that a user might type; long enough that it occurs nowhere else.
  private static let canary = "my-secret-canary"
  /// A number that is larger than any position.
  private static let number: Int64 = 98_765_432_109_876

  /// Each method with params that have every member.
  private static let requests: [(method: String, params: JSON)] = [
    (
      "initialize",
      [
        "clientInfo": ["name": "Neovim", "version": "1"],
        "capabilities": ["general": ["positionEncodings": ["utf-16"]]],
        "initializationOptions": ["editlog": ["session": "run", "open": ["untitled:a"]]],
      ]
    ),
    ("shutdown", .null),
    (
      "editlog/append",
      [
        "document": "a", "base": 0, "session": "s", "counter": 1, "author": "x",
        "origin": "typing",
        "edits": [
          [
            "actions": ["characters", "attributes"], "location": 0, "length": 0,
            "changeInLength": 2, "text": "hi", "time": "2026-11-20T15:04:05Z",
            "origin": "paste", "author": "y", "transaction": 1,
            "attributes": [
              "set": [
                [
                  "length": 2,
                  "attributes": [
                    "b": ["$bytes": "AQID"], "d": ["$double": "nan"], "l": [1, true, "v"],
                    "m": ["$map": ["$x": 1.5]], "o": ["n": ["deep": "v"]],
                  ],
                ]
              ]
            ],
          ],
          [
            "actions": ["attributes"], "location": 0, "length": 2, "changeInLength": 0,
            "attributes": ["remove": ["b"]],
          ],
        ],
      ]
    ),
    (
      "editlog/forward",
      [
        "session": "bridge", "counter": 1, "method": "textDocument/didOpen",
        "params": ["textDocument": ["uri": "untitled:b", "text": "x"]],
      ]
    ),
    (
      "editlog/annotate",
      ["document": "untitled:c", "origin": "paste", "author": "x", "agent": "y"]
    ),
    (
      "editlog/typingAttributes", ["document": "untitled:d", "attributes": ["merge": ["b": true]]]
    ),
    ("editlog/export", ["document": "base", "format": "xml", "rule": ["styles": []]]),
    ("editlog/attach", ["document": "base", "content": "AAE="]),
    ("editlog/attachments", ["document": "base"]),
    (
      "editlog/attachment",
      ["document": "base", "digest": JSON(String(repeating: "0a", count: 32))]
    ),
    ("editlog/contents", ["document": "base", "at": 1, "offset": 0, "limit": 1]),
    (
      "editlog/insertAttachment",
      ["document": "base", "attachment": ["bytes": 1], "scope": "index", "index": 0, "author": "x"]
    ),
    ("editlog/documents", [:]),
    ("editlog/formerName", ["document": "base"]),
    ("editlog/state", ["document": "base", "at": "mark:one", "offset": 0, "limit": 1]),
    ("editlog/paragraphs", ["document": "base", "at": 1, "offset": 0, "limit": 1]),
    ("editlog/inspect", ["document": "base", "at": 1, "offset": 0, "limit": 1]),
    ("editlog/paragraphHistory", ["document": "base", "range": ["location": 0, "length": 1]]),
    (
      "editlog/log",
      ["document": "base", "after": 0, "through": 1, "limit": 1, "newestFirst": true]
    ),
    ("editlog/diff", ["document": "base", "from": 0, "to": "latest", "context": 3]),
    ("editlog/outline", ["document": "base", "at": 1, "key": "kind", "offset": 0, "limit": 1]),
    ("editlog/paragraphDiff", ["document": "base", "from": 0, "to": "latest"]),
    (
      "editlog/blame",
      ["document": "base", "at": 1, "lines": [1, 1], "offset": 0, "limit": 1, "last": true]
    ),
    ("editlog/blame", ["document": "base", "at": 1, "reverse": true, "to": "latest"]),
    ("editlog/undo", ["document": "base", "list": true, "dryRun": true, "author": "x"]),
    ("editlog/redo", ["document": "base", "author": "x"]),
    ("editlog/restore", ["document": "base", "at": 1, "author": "x"]),
    (
      "editlog/style",
      [
        "document": "base", "range": ["location": 0, "length": 1], "paragraphs": true,
        "attributes": ["merge": ["b": true]], "author": "x",
      ]
    ),
    ("editlog/trace", ["document": "base", "minLength": 1, "format": "table"]),
    ("editlog/grep", ["document": "base", "pattern": "o+", "ignoreCase": true, "limit": 1]),
    ("editlog/grepMany", ["documents": ["base"], "pattern": "o+", "after": 0, "limit": 1]),
    ("editlog/activityMany", ["documents": ["base"], "through": 1, "stretches": true]),
    ("editlog/agents", ["document": "base", "at": 1]),
    ("editlog/render", ["document": "base", "width": 5, "maxRows": 1, "rules": ["text": ""]]),
    ("editlog/activity", ["document": "base", "after": 0, "through": 1]),
    ("editlog/version", ["document": "base", "at": "mark:one"]),
    ("editlog/marks", ["document": "base"]),
    ("editlog/status", ["heads": true]),
    ("editlog/verify", ["heads": [JSON("base@1:" + String(repeating: "0a", count: 32))]]),
    ("editlog/usage", [:]),
    ("editlog/repair", ["dryRun": true]),
    ("editlog/mark", ["document": "base", "label": "one", "at": 1]),
    (
      "editlog/import",
      [
        "document": "imported",
        "entries": [
          [
            "v": 1, "sequence": 1, "actions": ["characters"], "location": 0, "length": 0,
            "changeInLength": 1, "text": "a", "time": 1,
          ]
        ],
      ]
    ),
    ("editlog/rename", ["document": "gone", "to": "another"]),
    ("editlog/subscribe", ["document": "base", "after": 0, "events": 0, "credit": 0]),
    ("editlog/credit", ["subscription": 1, "credit": 1]),
    ("editlog/unsubscribe", ["subscription": 1]),
    ("editlog/forget", ["document": "gone"]),
  ]

  private static let place: JSON = ["line": 0, "character": 0]
  private static let notifications: [(method: String, params: JSON)] = [
    (
      "textDocument/didOpen",
      ["textDocument": ["uri": "untitled:c", "languageId": "text", "version": 1, "text": "one"]]
    ),
    (
      "textDocument/didChange",
      [
        "textDocument": ["uri": "untitled:c", "version": 2],
        "contentChanges": [
          ["range": ["start": place, "end": place], "rangeLength": 0, "text": "two"],
          ["text": "three"],
        ],
      ]
    ),
    ("textDocument/didSave", ["textDocument": ["uri": "untitled:c"], "text": "three"]),
    (
      "workspace/didRenameFiles",
      ["files": [["oldUri": "untitled:c", "newUri": "untitled:d"]]]
    ),
    ("textDocument/didClose", ["textDocument": ["uri": "untitled:d"]]),
  ]

  @Test func `every method of the daemon is in the table`() {
    #expect(Set(Self.requests.map(\.method)) == DaemonMethods.requests)
    #expect(
      Set(Self.notifications.map(\.method))
        == Set(EditorNotification.allCases.map(\.rawValue)))
  }

  @Test func `every sample has the right shape`() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send([("editlog/append", ["document": "base", "edits": [put("one").json]])])
      #expect(await raw.answer(to: 1)?["error"] == nil)
      for (index, sample) in Self.requests.enumerated() {
        try await raw.send([sample], from: index + 2)
        let code = await raw.answer(to: index + 2)?["error"]?["code"]
        #expect(code == nil || code == 1 || code == 2, "\(sample.method)")
      }
      for sample in Self.notifications { try await raw.send(Self.notification(sample)) }
      try await raw.send([("editlog/status", [:])], from: 1_000)
      #expect(await raw.answer(to: 1_000) != nil)
      try await raw.close()
      #expect(!daemon.log.everything.contains { $0.contains("must be") })
    }
  }

  @Test(arguments: [Logger.Level.notice, .debug])
  func `no value of any member is logged`(level: Logger.Level) async throws {
    let daemon = try await RunningDaemon(in: TemporaryFolder(), logLevel: level)
    for sample in Self.requests + Self.notifications {
      // A connection each: some of what is sent ends it.
      var raw = try await RawClient(to: daemon.socket)
      var id = 0
      for params in Self.spoilt(sample.params) {
        id += 1
        if EditorNotification(rawValue: sample.method) != nil {
          try await raw.send(Self.notification((sample.method, params)))
        } else {
          try await raw.send([(sample.method, params)], from: id)
        }
      }
      // A bridge's messages, with the same params.
      if EditorNotification(rawValue: sample.method) != nil {
        for params in Self.spoilt(sample.params) {
          id += 1
          let forward: JSON = [
            "session": "b", "counter": JSON(id), "method": JSON(sample.method), "params": params,
          ]
          try await raw.send([("editlog/forward", forward)], from: id)
        }
      }
      try await raw.send([("editlog/status", [:])], from: id + 1)
      #expect(await raw.answer(to: id + 1) != nil, "\(sample.method)")
      try await raw.close()
    }
    try await daemon.stop()
    Self.check(daemon.log)
  }

  /// Anomalies of well-formed messages are logged too, without names and texts.
  @Test(arguments: [Logger.Level.notice, .debug])
  func `no anomaly of an editor quotes it`(level: Logger.Level) async throws {
    let daemon = try await RunningDaemon(in: TemporaryFolder(), logLevel: level)
    var raw = try await RawClient(to: daemon.socket)
    let (uri, other) = (JSON("untitled:\(Self.canary)"), JSON("untitled:2\(Self.canary)"))
    func changes(_ uri: JSON, _ line: Int) -> JSON {
      let (start, end): (JSON, JSON) = (
        ["line": JSON(line), "character": 9], ["line": 0, "character": 1]
      )
      return [
        "textDocument": ["uri": uri, "version": 7],
        "contentChanges": [
          ["range": ["start": start, "end": end], "text": JSON(Self.canary)]
        ],
      ]
    }
    let opened: JSON = ["textDocument": ["uri": uri, "text": JSON("😀\n\(Self.canary)")]]
    try await raw.send([
      (
        "initialize",
        [
          "clientInfo": ["name": JSON(Self.canary + "\n<0>"), "version": "1"],
          "initializationOptions": [
            "editlog": [
              "session": JSON(Self.canary), "host": JSON(Self.canary), "author": JSON(Self.canary),
            ]
          ],
        ]
      ),
      ("editlog/append", ["document": other, "edits": [put(Self.canary).json]]),
    ])
    #expect(await raw.answer(to: 2) != nil)
    for message: (String, JSON) in [
      ("textDocument/didChange", changes(uri, 0)), ("textDocument/didOpen", opened),
      ("textDocument/didOpen", opened), ("textDocument/didChange", changes(uri, 5)),
      ("textDocument/didChange", changes(uri, 5)),
      ("textDocument/didSave", ["textDocument": ["uri": uri], "text": JSON(Self.canary)]),
      ("textDocument/didChange", changes(JSON("untitled:3\(Self.canary)"), 1)),
      ("workspace/didRenameFiles", ["files": [["oldUri": uri, "newUri": other]]]),
      ("textDocument/didClose", ["textDocument": ["uri": uri]]),
    ] {
      try await raw.send(Self.notification(message))
    }
    try await raw.send([("editlog/status", [:])], from: 3)
    #expect(await raw.answer(to: 3) != nil)
    try await raw.close()
    try await daemon.stop()
    #expect(daemon.log.everything.count { $0.hasPrefix("an editor: ") } >= 5)
    Self.check(daemon.log)
  }

  /// Bytes that are not frames, and frames that are not messages.
  @Test func `no broken frame is quoted`() async throws {
    let daemon = try await RunningDaemon(in: TemporaryFolder(), logLevel: .debug)
    for bytes in [
      "\(Self.canary)\r\n\r\n", "Content-Length: \(Self.canary)\r\n\r\n",
      "Content-Length: 18\r\n\r\n\(Self.canary)\r\n",
      #"Content-Length: 38\#r\#n\#r\#n{"jsonrpc":"\#(Self.canary)","id":1}  "#,
    ] {
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send(bytes)
      #expect(await raw.next()?["error"] != nil)
      try? await raw.close()
    }
    try await daemon.stop()
    Self.check(daemon.log)
  }

  // MARK: Spoiling

  private static func check(_ log: RecordedLog) {
    for line in log.everything {
      #expect(!line.contains(canary) && !line.contains("\(number)"), "\(line)")
      // A message must not begin a new line in the log.
      #expect(!line.contains(where: { $0.isNewline }), "\(line)")
    }
  }

  private static func notification(_ sample: (method: String, params: JSON)) -> ByteBuffer {
    RPCMessage.notification(method: sample.method, params: sample.params).frame
  }

  /// What a member is replaced by: wrong kinds, wrong values, each with a canary.
  private static let spoilers: [JSON] = [
    JSON(canary), JSON(""), JSON(String(repeating: canary, count: 100)), .integer(number),
    .integer(-1), .double(Double(number) + 0.5), true, .null, [JSON(canary)], [],
    .object([canary: JSON(canary)]), .object(["$" + canary: JSON(canary)]),
    JSON(UTF16Text(units: Array(canary.utf16) + [0xD800])),
  ]

  /// The params, each time with one value replaced, at every depth.
  private static func spoilt(_ json: JSON) -> [JSON] {
    var results = spoilers
    switch json {
    case .object(let object):
      for member in object.members {
        var copy = object
        for value in spoilt(member.value) {
          copy[member.name] = value
          results.append(.object(copy))
        }
        copy[member.name] = nil
        results.append(.object(copy))
        copy[canary] = member.value
        results.append(.object(copy))
      }
    case .array(let elements):
      for index in elements.indices {
        var copy = elements
        for value in spoilt(elements[index]) {
          copy[index] = value
          results.append(.array(copy))
        }
      }
    case .string(let string): results.append(JSON(string.description + canary))
    case .null, .bool, .integer, .double: break
    }
    return results
  }
}
