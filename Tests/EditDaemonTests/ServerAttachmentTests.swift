import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

/// `editlog/attach` and its questions over a real socket.
@Suite(.timeLimit(.minutes(10))) struct ServerAttachmentTests {
  private let content = Array("the bytes \0 of an attachment".utf8)

  @Test func bytesAreStoredOnceAndSurviveARestart() async throws {
    let folder = TemporaryFolder()
    var digest: AttachmentDigest?
    try await withClient(in: folder) { client, _ in
      let none = await refusal { try await client.call(AttachRequest(document("a"), content)) }
      #expect(none?.code == .unknownDocument)
      _ = try await client.append("a", put("text"))
      let stored = try await client.call(AttachRequest(document("a"), content))
      #expect(stored.isNew && stored.attachment.size == content.count)
      let again = try await client.call(AttachRequest(document("a"), content))
      #expect(!again.isNew && again.attachment == stored.attachment)
      digest = stored.attachment.digest
    }
    let wanted = try #require(digest)
    try await withClient(in: folder) { client, _ in
      let history = HistoryReference(document("a"))
      #expect(try await client.call(AttachmentRequest(history, wanted)).content == content)
      #expect(
        try await client.call(AttachmentsRequest(history)).attachments
          == [ShownAttachment(wanted, size: content.count)])
      let usage = try await client.call(UsageRequest())
      #expect(usage.documents.first?.attachments == content.count + 76)
      #expect(try await client.call(VerifyRequest()).isSound)
      _ = try await client.append("b", put("text"))
      let other = await refusal {
        try await client.call(AttachmentRequest(HistoryReference(document("b")), wanted))
      }
      #expect(other?.code == .unknownPoint)
      _ = try await client.call("editlog/forget", ["document": "a"])
      _ = try await client.append("a", put("new"))
      #expect(try await client.call(AttachmentsRequest(history)).attachments == [])
    }
  }

  /// Row 55 of the features: a list of contents, and scopes of insertion.
  @Test func attachmentsAreInsertedAmongContents() async throws {
    try await withClient { client, _ in
      let history = HistoryReference(document("a"))
      func insert(_ scope: InsertScope, _ number: Int64) async throws -> InsertAttachmentAnswer {
        try await client.call(
          InsertAttachmentRequest(
            history, .map(["bytes": .integer(number)]), scope: scope, author: "ann"))
      }
      func contents() async throws -> [String] {
        try await client.call(ContentsRequest(history)).contents.map { content in
          switch content.kind {
          case .text: content.text.map { String($0) } ?? ""
          case .attachment:
            if case .map(let map)? = content.attachment {
              "\(map["bytes"]?.json ?? .null)"
            } else {
              ""
            }
          case .placeholder: "?"
          }
        }
      }
      _ = try await client.append("a", put("one two\u{FFFC}"))
      #expect(try await contents() == ["one two", "?"])
      // Inside a text there are two more contents, beside another one there is one more.
      #expect(
        try await insert(.automatic(caret: 4), 1)
          == InsertAttachmentAnswer(sequence: 2, offset: 4, count: 4))
      #expect(try await insert(.automatic(caret: 0), 2).count == 5)
      #expect(try await insert(.automatic(caret: nil), 3).offset == 10)
      #expect(try await insert(.first, 4).offset == 0)
      #expect(try await insert(.last, 5).offset == 12)
      #expect(try await insert(.index(8), 6).offset == 13)
      #expect(try await insert(.index(2), 7).offset == 2)
      #expect(
        try await contents() == ["4", "2", "7", "one ", "1", "two", "?", "3", "5", "6"])
      let part = try await client.call(ContentsRequest(history, offset: 3, limit: 2))
      #expect(part.count == 10 && part.next == 5 && part.contents.map(\.range.location) == [3, 7])
      #expect(try await client.call(ContentsRequest(history, at: .sequence(0))).contents == [])
      for scope in [InsertScope.index(11), .automatic(caret: 16)] {
        #expect(await refusal { try await insert(scope, 8) }?.code == .invalidParams)
      }
      let entries = try await client.call(LogRequest(history, HistoryPart(after: 7))).entries
      let edits = entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
      let edit = try #require(edits.last)
      #expect(edit.author == "ann" && edit.origin == .program)
      // A removed attachment joins the texts.
      _ = try await client.append(
        "a", AppendEdit(action: EditAction(replacing: UTF16Range(7..<8), with: "")))
      #expect(try await contents()[3] == "one two")
    }
  }

  /// A file that is gone is named by every answer about its document, by `status` and by `verify`.
  @Test func aMissingAttachmentIsNamed() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("text"))
      let digest = try await client.call(AttachRequest(document("a"), content)).attachment.digest
      let folder = "\(daemon.store)/documents/00000000000000000001"
      #expect(unlink("\(folder)/\(digest).attachment") == 0)
      let shown = try await client.call("editlog/attachments", ["document": "a"])
      #expect("\(shown)".contains("lacks the attachment \(digest)"))
      #expect(try await client.call(StatusRequest()).damage.count == 1)
      #expect(try await client.call(VerifyRequest()).isSound == false)
      let error = await refusal {
        try await client.call(AttachmentRequest(HistoryReference(document("a")), digest))
      }
      #expect(error?.code == .damagedLog)
      #expect(try await client.call(AttachRequest(document("a"), content)).isNew)
      #expect(try await client.call(StatusRequest()).damage == [])
      #expect(try await client.call(VerifyRequest()).isSound)
    }
  }

  /// Equal bytes may have several names: all of their places are listed, up to a number.
  @Test func allPlacesAreListed() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("text"))
      let digests = [
        try await client.call(AttachRequest(document("a"), content)).attachment.digest,
        try await client.call(AttachRequest(document("a"), [1])).attachment.digest,
        try await client.call(AttachRequest(document("a"), [2])).attachment.digest,
      ]
      func insert(_ count: Int, _ digest: AttachmentDigest, _ name: String) async throws {
        let value = AttributeValue.map(["digest": .string("\(digest)"), "name": .string(name)])
        let run = AttributeRun(length: count, attributes: ["attachment": value])
        let text = UTF16Text(units: [UInt16](repeating: 0xFFFC, count: count))
        _ = try await client.append(
          "a",
          AppendEdit(
            action: try EditAction(
              range: UTF16Range(0..<0), replacement: text, attributes: .set([run]))))
      }
      // From the end of the text to its start.
      let most = ShownAttachment.placesMax
      try await insert(2, digests[1], "last")
      try await insert(most, digests[0], "many")
      try await insert(1, digests[0], "one")
      let found = try await client.call(AttachmentsRequest(HistoryReference(document("a"))))
        .attachments
      func attachment(_ index: Int) -> ShownAttachment? {
        found.first { $0.digest == digests[index] }
      }
      #expect(attachment(0)?.placeCount == most + 1 && attachment(0)?.places.count == most + 1)
      #expect(attachment(0)?.places.map(\.offset) == Array(0...most))
      #expect(attachment(0)?.places.prefix(2).map(\.name) == ["one", "many"])
      #expect(attachment(0)?.name == "one" && attachment(0)?.offset == 0)
      // Its first place is always listed.
      #expect(attachment(1)?.placeCount == 2)
      #expect(attachment(1)?.places == [ShownAttachment.Place(most + 1, name: "last")])
      #expect(attachment(2) == ShownAttachment(digests[2], size: 1))
    }
  }

  @Test func badContentsAreRefused() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("text"))
      for (method, params, member) in [
        ("editlog/attach", ["document": "a", "content": "!"], "content"),
        ("editlog/attach", ["document": "a"], "content"),
        ("editlog/attachment", ["document": "a", "digest": "AB"], "digest"),
        (
          "editlog/attach",
          [
            "document": "a",
            "content": JSON(String(repeating: "A", count: (AttachRequest.sizeMax + 2) / 3 * 4 + 4)),
          ], "content"
        ),
      ] as [(String, JSON, String)] {
        let error = await refusal { try await client.call(method, params) }
        #expect(error?.code == .invalidParams && error?.message.contains(member) == true)
      }
    }
  }
}
