import EditProtocol
import Glibc
import TestSupport

/// One hostile connection: what it sends, and when it goes.
struct HostileClient {
  /// Bytes to send, or bytes to repeat.
  private enum Part {
    case bytes([UInt8])
    case fill([UInt8], count: Int)
  }

  let descriptor: Int32
  private var parts: [Part] = []
  private var sent = 0
  /// Bytes sent at once, and the pause after them.
  private var step = 256 << 10
  private var pause: UInt64 = 0
  /// Whether it reads what comes.
  private(set) var reads = false
  /// When it sends next, and when it goes by itself.
  private var nextTime: UInt64 = 0
  private var endTime = UInt64.max

  init(_ kind: HostileKind, _ descriptor: Int32, _ random: inout SplitMix64) {
    self.descriptor = descriptor
    switch kind {
    case .idle: parts = [.bytes([0x43, 0x6F, 0x6E])]
    case .idleAfterMessage:
      parts = [.bytes(Self.frame(Self.request("editlog/none", "{}")))]
      reads = true
    case .halfFrame:
      let size = 1 << Int.random(in: 4...22, using: &random)
      parts = [.bytes(Self.header(size)), .fill(Self.repeated([0x20]), count: size / 2)]
    case .slow:
      parts = [.bytes(Self.frame(Self.request("editlog/none", "{}")))]
      (step, pause) = (1, 100_000_000)
    case .unreadQuestions, .goneQuestions:
      let question = Self.frame(Self.request("editlog/state", #"{"document":"large"}"#))
      parts = [.fill(question, count: question.count * 100)]
      if kind == .goneQuestions {
        endTime = nanoseconds() + UInt64.random(in: 10_000_000...400_000_000, using: &random)
      }
    case .giant:
      let size = Int.random(in: 1...64, using: &random) << 20
      let (head, tail) = (#"{"jsonrpc":"2.0","id":1,"method":"editlog/none","params":[""#, #""]}"#)
      parts = [
        .bytes(Self.header(head.utf8.count + size + tail.utf8.count) + Array(head.utf8)),
        .fill(Self.repeated([0x78]), count: size), .bytes(Array(tail.utf8)),
      ]
      reads = true
    case .manyValues:
      let count = Int.random(in: 10_000...1_500_000, using: &random)
      let (head, tail) = (#"{"jsonrpc":"2.0","id":1,"method":"editlog/none","params":["#, "0]}")
      let value = Array(["0,", "[],", "[0],"].randomElement(using: &random)?.utf8 ?? "0,".utf8)
      parts = [
        .bytes(
          Self.header(head.utf8.count + count * value.count + tail.utf8.count) + Array(head.utf8)),
        .fill(Self.repeated(value), count: count * value.count), .bytes(Array(tail.utf8)),
      ]
      reads = true
    case .unreadAppends:
      let edit =
        #"{"actions":["characters"],"location":0,"length":0,"changeInLength":1,"text":"y"}"#
      let append = Self.frame(
        Self.request("editlog/append", #"{"document":"junk","edits":[\#(edit)]}"#))
      parts = [.fill(append, count: append.count * 500)]
    case .garbage:
      parts = [.bytes((0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })]
    }
  }

  private static func request(_ method: String, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
  }
  private static func header(_ size: Int) -> [UInt8] {
    Array("Content-Length: \(size)\r\n\r\n".utf8)
  }
  private static func frame(_ body: String) -> [UInt8] {
    header(body.utf8.count) + Array(body.utf8)
  }

  /// `bytes` again and again, about 64 KiB of them, so that little is put together for each sending.
  private static func repeated(_ bytes: [UInt8]) -> [UInt8] {
    let count = max(1, (64 << 10) / bytes.count)
    return (0..<count).flatMap { _ in bytes }
  }

  /// True while it has something to send.
  func wantsToSend(_ now: UInt64) -> Bool { !parts.isEmpty && now >= nextTime }
  func isOver(_ now: UInt64) -> Bool { now >= endTime }

  /// Sends what there is room for; false if the connection is over.
  mutating func send(_ now: UInt64) -> Bool {
    guard let first = parts.first else { return true }
    let all: (bytes: [UInt8], count: Int) =
      switch first {
      case .bytes(let bytes): (bytes, bytes.count)
      case .fill(let bytes, let count): (bytes, count)
      }
    var piece = Array(all.bytes[(sent % all.bytes.count)...])
    let size = min(step, all.count - sent)
    while piece.count < size { piece += all.bytes }
    let count = write(descriptor, piece, size)
    guard count >= 0 else { return errno == EAGAIN }
    sent += count
    if sent == all.count {
      parts.removeFirst()
      sent = 0
    }
    nextTime = now + pause
    return true
  }

  /// Reads away what came; false if the connection is over.
  func readAway(_ scratch: inout [UInt8]) -> Bool {
    let count = read(descriptor, &scratch, scratch.count)
    return count > 0 || count < 0 && errno == EAGAIN
  }
}
