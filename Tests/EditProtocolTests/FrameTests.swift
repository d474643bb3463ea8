import EditJSON
import EditProtocol
import NIOCore
import NIOEmbedded
import NIOTestUtils
import Testing

@Suite struct FrameTests {
  /// Byte by byte, in one lump, with neighbours around each byte: the same frames.
  @Test func framesAreCutOutOfAnyPieces() throws {
    let pairs: [(String, [ByteBuffer])] = [
      ("Content-Length: 2\r\n\r\n{}", [ByteBuffer(string: "{}")]),
      ("content-LENGTH:7\r\n\r\n[1,2,3]", [ByteBuffer(string: "[1,2,3]")]),
      ("Content-Length: 0\r\n\r\n", [ByteBuffer()]),
      (
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 4\r\n\r\nnull",
        [ByteBuffer(string: "null")]
      ),
      (
        "Content-Length: 1\r\n\r\n1Content-Length: 6\r\nX: y\r\n\r\n\r\n\r\n\"a",
        [ByteBuffer(string: "1"), ByteBuffer(string: "\r\n\r\n\"a")]
      ),
    ]
    try ByteToMessageDecoderVerifier.verifyDecoder(stringInputOutputPairs: pairs) {
      FrameDecoder()
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", FrameError.malformedHeader(line: "GET / HTTP/1.1")),
    (": 3\r\n\r\n", .malformedHeader(line: ": 3")),
    ("Content-Type: x\r\n\r\n", .lengthMissing),
    ("Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", .lengthMissing),
    ("Content-Length: -1\r\n\r\n", .malformedLength("-1")),
    ("Content-Length: \r\n\r\n", .malformedLength("")),
    ("Content-Length: 1x\r\n\r\n", .malformedLength("1x")),
    ("Content-Length: 99999999999999999999\r\n\r\n", .bodyTooLarge(size: .max, sizeMax: 100)),
    ("Content-Length: 101\r\n\r\n", .bodyTooLarge(size: 101, sizeMax: 100)),
    ("\u{1}\u{2}\u{3}", .malformedHeader(line: "?")),
    ("Content-Length: 1\u{7}", .malformedHeader(line: "Content-Length: 1?")),
    ("\r\n\r\n", .malformedHeader(line: "")),
    ("Content-Length: 1\nX: y\r\n\r\n", .malformedHeader(line: "Content-Length: 1?X: y")),
    // Without an end to wait for.
    ("Content-Length: 1\n\n{", .malformedHeader(line: "Content-Length: 1?")),
    ("Content-Length: 1\r\nX: y\n", .malformedHeader(line: "Content-Length: 1??X: y?")),
  ])
  func garbageIsRefused(text: String, error: FrameError) {
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(FrameDecoder(frameSizeMax: 100)))
    #expect(throws: error) { try channel.writeInbound(ByteBuffer(string: text)) }
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  @Test func headersAreBounded() {
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(FrameDecoder()))
    let headers = String(repeating: "X: y\r\n", count: FrameDecoder.headerSizeMax / 6 + 1)
    #expect(throws: FrameError.headerTooLong(sizeMax: FrameDecoder.headerSizeMax)) {
      try channel.writeInbound(ByteBuffer(string: headers))
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  @Test func anEndInsideOfAFrameIsToldFromAnEndBetweenTwo() throws {
    let text = "Content-Length: 2\r\n\r\n{}"
    for count in 0...text.utf8.count {
      let channel = EmbeddedChannel(handler: ByteToMessageHandler(FrameDecoder()))
      try channel.writeInbound(ByteBuffer(bytes: text.utf8.prefix(count)))
      if count == 0 || count == text.utf8.count {
        #expect(throws: Never.self) { try channel.finish() }
      } else {
        #expect(throws: FrameError.unexpectedEnd) { try channel.finish() }
      }
    }
  }

  @Test func encoderAndMessagesWriteTheSameFrame() throws {
    let message = RPCMessage.notification(method: "exit", params: .null)
    let channel = EmbeddedChannel(handler: MessageToByteHandler(FrameEncoder()))
    try channel.writeOutbound(ByteBuffer(bytes: message.json.serialized()))
    let written = try channel.readOutbound(as: ByteBuffer.self)
    #expect(written == message.frame)
    #expect(
      message.frame
        == ByteBuffer(string: "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}")
    )
    _ = try channel.finish()
  }
}
