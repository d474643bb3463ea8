import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
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
