import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOPosix
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// What edits and questions about the worst texts take: the peak of a daemon's process, with bounds of
/// several times what was measured.
@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
  private let folder = TemporaryFolder()
  private var socket: String { RunningDaemon.socket(in: folder) }

  private func lineBreaks(_ count: Int) -> AppendEdit {
    let text = UTF16Text(latin1: [UInt8](repeating: 0x0A, count: count))
    return AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: text))
  }

  /// An edit of line breaks took 110 bytes for each: 440 MB here.
  @Test func `an edit of line breaks takes a few times its text`() async throws {
    let (status, _) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("d", lineBreaks(100_000))
      let before = try process.memoryPeak()
      _ = try await client.append("d", lineBreaks(4_000_000))
      #expect(try process.memoryPeak() - before < 160 << 10)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
  }

  /// Four questions took 1.4 GB for a text of 2 MB.
  @Test(arguments: ["editlog/paragraphs", "editlog/inspect"])
  func `questions about many lines take what the budget allows`(method: String) async throws {
    let (status, _) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("d", lineBreaks(50_000))
      let before = try process.memoryPeak()
      let question = RPCMessage.request(
        id: .integer(1), method: method, params: ["document": JSON(document("d").name)])
      let sizes = try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<4 {
          group.addTask { [socket] in
            try await NIOThreadPool.singleton.runIfActive {
              let raw = try RawSocket(to: socket)
              raw.send(question.frame[...])
              return raw.skipFrame()
            }
          }
        }
        return try await group.reduce(into: [Int?]()) { $0.append($1) }
      }
      // Each row has 60 bytes at least.
      #expect(sizes.allSatisfy { ($0 ?? 0) > 50_000 * 60 }, "\(sizes)")
      #expect(try process.memoryPeak() - before < 30 << 10)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
  }
}

extension RPCMessage {
  fileprivate var frame: [UInt8] {
    let body = json.serialized()
    return Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}

extension RawSocket {
  /// Reads a frame, and returns the size of its body. Nil if nothing comes for two minutes.
  fileprivate func skipFrame() -> Int? {
    var (header, rest): ([UInt8], Int?) = ([], nil)
    var (bytes, size, pauses) = ([UInt8](repeating: 0, count: 1 << 16), 0, 0)
    while rest != 0 {
      let count = recv(descriptor, &bytes, min(rest ?? 1, bytes.count), 0)
      guard count > 0 else {
        pauses += 1
        if count < 0, errno == EAGAIN, pauses < 12 { continue }
        return nil
      }
      if let left = rest {
        rest = left - count
        continue
      }
      header.append(bytes[0])
      guard header.suffix(4) == Array("\r\n\r\n".utf8)[...] else { continue }
      let text = String(decoding: header, as: UTF8.self)
      guard let length = text.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
      else { return nil }
      (size, rest) = (length, length)
    }
    return size
  }
}
