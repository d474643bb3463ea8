import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Testing
import TestSupport

/// Marks, undo and questions over the socket.
@Suite(.timeLimit(.minutes(10))) struct ServerQueryTests {
  @Test func marksNameVersions() async throws {
    try await withClient { client, _ in
      for text in ["one ", "two ", "three "] { _ = try await client.append("a", put(text)) }
      let mark = try await client.call("editlog/mark", ["document": "a", "label": "now"])
      #expect(mark == ["label": "now", "sequence": 3])
      _ = try await client.call("editlog/mark", ["document": "a", "label": "early", "at": 1])
      _ = try await client.append("a", put("four "))
      #expect(try await client.text(of: "a", at: "mark:now") == "three two one ")
      #expect(try await client.text(of: "a", at: "mark:early") == "one ")
      // The last use of a label counts, and a mark may be named by a mark.
      _ = try await client.call(
        "editlog/mark", ["document": "a", "label": "early", "at": "mark:now"])
      #expect(try await client.text(of: "a", at: "mark:early") == "three two one ")
      #expect(try await client.events(of: "a").count == 3)
    }
  }

  /// The daemon's answer is that of the files, which another process reads.
  @Test func aSearchIsTheSameThroughTheSocket() async throws {
    try await withClient { client, daemon in
      for text in ["one ", "two ", "once "] { _ = try await client.append("a", put(text)) }
      _ = try await client.append(
        "a", AppendEdit(action: EditAction(replacing: UTF16Range(0..<2), with: "")))
      let params: JSON = ["document": "a", "pattern": "on?c?e"]
      let answer = try await client.call("editlog/grep", params)
      let engine = QueryEngine(try StoreFiles(at: daemon.store))
      #expect(try await engine.answer("editlog/grep", params) == answer)
      #expect(try answer.asObject().integer("count") == 2)
    }
  }

  @Test(arguments: ["editlog/activity", "editlog/agents"])
  func workIsTheSameThroughTheSocket(method: String) async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("one two"))
      let edit = EditAction(replacing: UTF16Range(4..<7), with: "2 or 3")
      _ = try await client.append("a", AppendEdit(action: edit, origin: .program, author: "bot"))
      let answer = try await client.call(method, ["document": "a"])
      let engine = QueryEngine(try StoreFiles(at: daemon.store))
      #expect(try await engine.answer(method, ["document": "a"]) == answer)
    }
  }

  /// Sealed documents and those with new edits, one that is unknown, and no request for each.
  @Test(
    arguments: [
      ("editlog/grepMany", ["pattern": "on?c?e", "limit": 1]),
      ("editlog/activityMany", ["stretches": true]),
    ] as [(String, JSON)])
  func severalDocumentsAreAskedAboutAtOnce(method: String, params: JSON) async throws {
    try await withClient { client, daemon in
      for number in 0..<40 {
        for text in ["one ", "two ", "once "].prefix(number % 4) {
          _ = try await client.append("d\(number)", put(text))
        }
      }
      var params = try params.asObject()
      params["documents"] = .array((0..<41).map { JSON("d\($0)") })
      let answer = try await client.call(method, .object(params))
      let engine = QueryEngine(try StoreFiles(at: daemon.store))
      #expect(try await engine.answer(method, .object(params)) == answer)
      let unknown = stride(from: 0, through: 40, by: 4).map { JSON("d\($0)") }
      #expect(answer["alone"] == .array(unknown))
      #expect(try answer["answers"]?.asArray().count == 30)
    }
  }

  @Test func marksThatCannotBeAreRefused() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("one"))
      let cases: [(JSON, ProtocolError.Code)] = [
        (["document": "b", "label": "x"], .unknownDocument),
        (["document": "a", "label": "x", "at": 2], .unknownPoint),
        (["document": "a", "label": "x", "at": "mark:none"], .unknownPoint),
        (["document": "a", "label": ""], .invalidParams),
        (["document": "a", "label": JSON(String(repeating: "x", count: 257))], .invalidParams),
        (["document": "a"], .invalidParams),
      ]
      for (params, code) in cases {
        #expect(await refusal { try await client.call("editlog/mark", params) }?.code == code)
      }
      #expect(try await client.events(of: "a").isEmpty)
    }
  }

  /// Undo twice, then type: the tree keeps both branches.
  @Test func undoAndTypeOnKeepsTheOtherBranch() async throws {
    try await withClient { client, _ in
      for (index, text) in ["one", "two", "three"].enumerated() {
        var edit = put(text, at: index * 3)
        edit.origin = .paste
        _ = try await client.append("a", edit)
      }
      let first = try await client.call("editlog/undo", ["document": "a"])
      #expect(
        first == ["step": 3, "sequence": 4, "undone": [[3, 3]], "redone": [], "remainders": []])
      #expect(try await client.text(of: "a") == "onetwo")
      let second = try await client.call("editlog/undo", ["document": "a", "author": "ada"])
      #expect(
        second == ["step": 2, "sequence": 5, "undone": [[2, 2]], "redone": [], "remainders": []])
      #expect(try await client.text(of: "a") == "one")
      _ = try await client.append("a", put("!", at: 3))

      let list = try await client.call("editlog/undo", ["document": "a", "list": true])
      let steps = try list.asObject().array("steps") { (json) throws(ShapeError) in
        let step = try json.asObject()
        return [
          try step.integer("step"), try step.integer("parent"), try step.integer("first"),
          try step.integer("last"), try step.boolIfPresent("undone") == true ? 1 : 0,
          try step.boolIfPresent("current") == true ? 1 : 0,
        ]
      }
      #expect(
        steps == [
          [1, 0, 1, 1, 0, 0], [2, 1, 2, 2, 1, 0], [3, 2, 3, 3, 1, 0], [4, 1, 6, 6, 0, 1],
        ])
      let edits = try await client.edits(of: "a")
      #expect(edits.map(\.origin) == [.paste, .paste, .paste, .undo, .undo, .typing])
      #expect(edits[4].author == "ada")
      // Plain text has no attributes to put back.
      #expect(edits.allSatisfy { $0.action.attributes == .inherit })
    }
  }

  /// `"dryRun": "true"` is an error: read as false, it would change the document or the store.
  @Test func flagsAreBooleans() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("x"))
      for (method, member) in [
        ("editlog/undo", "dryRun"), ("editlog/undo", "list"), ("editlog/repair", "dryRun"),
        ("editlog/repair", "acceptLoss"), ("editlog/status", "heads"),
      ] {
        for value in ["true", 1, []] as [JSON] {
          var params: JSONObject = ["document": "a"]
          params[member] = value
          let error = await #expect(throws: ProtocolError.self) {
            try await client.call(method, .object(params))
          }
          #expect(error?.code == .invalidParams)
          #expect(
            error?.message.hasPrefix("params.\(member) must be ") == true, "\(error?.message ?? "")"
          )
        }
      }
      #expect(try await client.call("editlog/state", ["document": "a"])["text"] == "x")
      #expect(try await client.call("editlog/repair", .null)["dryRun"] == false)
    }
  }

  /// An undo that is only asked about changes nothing; with nothing left it is refused.
  @Test func undoOfNothing() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("one"))
      let plan = try await client.call("editlog/undo", ["document": "a", "dryRun": true])
      #expect(plan["base"] == 1 && plan["step"] == 1)
      #expect(try await client.text(of: "a") == "one")
      _ = try await client.call("editlog/undo", ["document": "a"])
      #expect(try await client.text(of: "a") == "")
      let error = await refusal { try await client.call("editlog/undo", ["document": "a"]) }
      #expect(error?.code == .unknownPoint)
    }
  }

  /// Undo takes back a step that formatted nothing too, so that the step before it can be reached.
  @Test func undoOfAStepWithoutEffect() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("one"))
      let nothing = AppendEdit(
        action: try EditAction(
          range: UTF16Range(1..<1), replacement: nil, attributes: .remove(["bold"])),
        origin: .format)
      _ = try await client.append("a", nothing)
      // The edit is logged, and no step: the first undo is seen.
      #expect(try await client.call("editlog/undo", ["document": "a"])["step"] == 1)
      #expect(try await client.text(of: "a") == "")
    }
  }

  /// Two clients that undo at once undo two steps.
  @Test func undoAtOnce() async throws {
    try await withClient { client, daemon in
      for index in 0..<6 {
        let range = UTF16Range(index * 2..<index * 2)
        let line = EditAction(replacing: range, with: UTF16Text("\(index)\n"))
        _ = try await client.append("a", AppendEdit(action: line, origin: .paste))
      }
      let other = try await daemon.connect()
      async let left = client.call("editlog/undo", ["document": "a"])
      async let right = other.call("editlog/undo", ["document": "a"])
      let steps = try await [left["step"], right["step"]]
      #expect(Set(steps) == [6, 5])
      #expect(try await client.text(of: "a") == "0\n1\n2\n3\n")
      await other.close()
    }
  }

  /// The daemon gives the same answers as the files after its end.
  @Test func theDaemonAnswersAsItsStoreDoes() async throws {
    let folder = TemporaryFolder()
    let mixed = MixedHistory(seed: 11, editCount: 40)
    let questions: [(String, JSON)] =
      (0...40).map { ("editlog/state", ["document": "a", "at": JSON($0)]) } + [
        ("editlog/paragraphs", ["document": "a", "at": "mark:half"]),
        ("editlog/log", ["document": "a"]),
        ("editlog/log", ["document": "a", "newestFirst": true]),
        ("editlog/diff", ["document": "a", "from": 3, "to": "latest"]),
        ("editlog/undo", ["document": "a", "list": true]),
        ("editlog/state", ["document": "a", "at": "2001-09-09T01:46:40Z"]),
      ]
    var answers: [JSON] = []
    try await withClient(in: folder) { client, _ in
      for edit in mixed.edits {
        _ = try await client.append(
          AppendRequest(
            document: document("a"), author: edit.author, origin: edit.origin,
            edits: [AppendEdit(action: edit.action, time: edit.time)]))
      }
      _ = try await client.call("editlog/mark", ["document": "a", "label": "half", "at": 20])
      for (method, params) in questions { answers.append(try await client.call(method, params)) }
      #expect(
        await refusal { try await client.call("editlog/state", ["document": "a", "at": 41]) }?
          .code == .unknownPoint)
    }
    let engine = QueryEngine(try StoreFiles(at: RunningDaemon.store(in: folder)))
    for ((method, params), answer) in zip(questions, answers) {
      #expect(try await engine.answer(method, params) == answer, "\(method) \(params)")
    }
  }

  /// Offsets and limits are the client's: the largest of them are answered, or refused by name.
  @Test func theLargestOffsetsAndLimits() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("one\ntwo"))
      for method in ["editlog/state", "editlog/paragraphs"] {
        let whole = try await client.call(method, ["document": "a"])
        for limit in [JSON.integer(.max), .integer(.max / 256 + 1), 7] {
          #expect(try await client.call(method, ["document": "a", "limit": limit]) == whole)
        }
        for params in [
          ["document": "a", "limit": 0], ["document": "a", "offset": -1],
          ["document": "a", "limit": "1"],
        ] as [JSON] {
          #expect(await refusal { try await client.call(method, params) }?.code == .invalidParams)
        }
      }
      let far: JSON = ["document": "a", "offset": .integer(.max), "limit": .integer(.max)]
      #expect(
        await refusal { try await client.call("editlog/state", far) }?.code == .invalidParams)
      let none = try await client.call("editlog/paragraphs", far)
      #expect(none["paragraphs"] == [])
    }
  }

  @Test func statusTellsOfTheRun() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("one"), put("two"))
      let status = try await client.call("editlog/status")
      #expect(status["daemon"] == true && status["path"] == JSON(daemon.store))
      #expect(status["documents"] == 1 && status["edits"] == 2)
      #expect(status["unsealedEntries"] == 2 && status["documentsInMemory"] == 1)
      #expect(status["damage"] == [] && status["quarantined"] == 0)
      let documents = try await client.call("editlog/documents")
      #expect(documents["documents"]?.firstElement?["document"] == "a")
    }
  }
}

extension JSON {
  var firstElement: JSON? { if case .array(let array) = self { array.first } else { nil } }
}
