import EditProtocol
import NIOCore
import TestSupport
import Testing

/// Frames that are let in one at a time.
@Suite struct FrameAssemblerTests {
  /// The bodies of `bytes`, which come in pieces of `size`.
  private func bodies(of bytes: [UInt8], inPiecesOf size: Int) throws -> [[UInt8]] {
    var assembler = FrameAssembler(frameSizeMax: 1 << 20)
    var bodies: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      assembler.append(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
      reading: while true {
        switch try assembler.next() {
        case .incomplete: break reading
        case .announced(let size):
          #expect(assembler.announcedSize == size)
          assembler.admit()
        case .body(let body): bodies.append(Array(body.readableBytesView))
        }
      }
    }
    #expect(!assembler.isMidFrame)
    return bodies
  }

  @Test func framesComeBackHoweverTheyAreCut() throws {
    var random = SplitMix64(seed: 3)
    let sizes = [0, 1, 100, FrameAssembler.largeSizeMin - 1, FrameAssembler.largeSizeMin, 7]
    let sent = sizes.map { size in (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    let bytes = sent.flatMap { Array("Content-Length: \($0.count)\r\n\r\n".utf8) + $0 }
    for size in [1, 17, 1_000, 70_000, bytes.count] {
      #expect(try bodies(of: bytes, inPiecesOf: size) == sent, "pieces of \(size)")
    }
  }

  @Test func aFrameWaitsUntilItIsLetIn() throws {
    var assembler = FrameAssembler(frameSizeMax: 100)
    assembler.append(ByteBuffer(string: "Content-Length: 2\r\n\r\n{}"))
    for _ in 0..<3 {
      guard case .announced(size: 2) = try assembler.next() else {
        Issue.record("not announced")
        return
      }
    }
    #expect(assembler.isMidFrame)
    assembler.admit()
    guard case .body(let body) = try assembler.next() else {
      Issue.record("no body")
      return
    }
    #expect(String(buffer: body) == "{}")
  }

  @Test func aFrameBeyondTheLimitIsAnError() {
    var assembler = FrameAssembler(frameSizeMax: 100)
    assembler.append(ByteBuffer(string: "Content-Length: 101\r\n\r\n"))
    #expect(throws: FrameError.bodyTooLarge(size: 101, sizeMax: 100)) { try assembler.next() }
  }
}
