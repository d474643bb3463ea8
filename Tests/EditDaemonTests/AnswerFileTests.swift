import EditJSON
import EditProtocol
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import EditDaemon

/// Long answers, which are in a file until they are sent.
@Suite struct AnswerFileTests {
  private func message(_ number: Int) -> RPCMessage {
    .response(id: .integer(1), result: JSON(String(repeating: "\(number % 10)", count: 200_000)))
  }

  private func bytes(of body: AnswerBody) throws -> [UInt8] {
    var queue = AnswerQueue()
    queue.add(frames: body, nil)
    var bytes: [UInt8] = []
    while let piece = try queue.next() { bytes += piece.bytes.readableBytesView }
    return bytes
  }

  /// The descriptors of files in a folder that are open.
  private func descriptorCount(in folder: String) -> Int {
    (0..<4_096).count { descriptor in
      var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let size = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
      return size > 0 && String(decoding: path.prefix(size), as: UTF8.self).hasPrefix(folder)
    }
  }

  @Test func longAnswersShareADescriptor() throws {
    let folder = TemporaryFolder()
    let files = AnswerFiles(in: folder.path, bytesMax: 1 << 30)
    var bodies = try (0..<200).map { try AnswerBody(message($0), files) }
    #expect(descriptorCount(in: folder.path) == 1)
    for number in stride(from: 0, to: 200, by: 7) {
      #expect(try bytes(of: bodies[number]) == message(number).json.serialized())
    }
    bodies = []
    #expect(descriptorCount(in: folder.path) == 0)
  }

  /// What is written while others are sent and dropped is what is read.
  @Test(arguments: seeds(5)) func answersDoNotMix(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = TemporaryFolder()
    let files = AnswerFiles(in: folder.path, bytesMax: 1 << 30)
    var kept: [(number: Int, body: AnswerBody)] = []
    for number in 0..<100 {
      kept.append((number, try AnswerBody(message(number), files)))
      if Bool.random(using: &random) {
        let (number, body) = kept.remove(at: Int.random(in: 0..<kept.count, using: &random))
        #expect(try bytes(of: body) == message(number).json.serialized(), "seed \(seed)")
      }
    }
    for (number, body) in kept {
      #expect(try bytes(of: body) == message(number).json.serialized(), "seed \(seed)")
    }
  }

  @Test func theirSizeIsBounded() throws {
    let folder = TemporaryFolder()
    let files = AnswerFiles(in: folder.path, bytesMax: 500_000)
    let bodies = try (0..<2).map { try AnswerBody(message($0), files) }
    #expect(throws: AnswerFile.Failure.self) { try AnswerBody(message(3), files) }
    withExtendedLifetime(bodies) {}
  }
}
