import EditJSON
import EditLogFormat
import EditProtocol
import Glibc

/// A connection to the daemon that blocks, and passes on each message as it comes: an editor gets requests too.
final class PlainConnection {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var lastID: Int64 = 0

  /// Connects. Tries again for ten seconds: the daemon may be starting.
  ///
  /// - Throws: `Failure`.
  init(to path: String) throws(Failure) {
    for _ in 0..<2_000 {
      if let descriptor = connectedSocket(to: path) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
          descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return
      }
      usleep(5_000)
    }
    throw Failure(description: "no daemon listens at \(path)")
  }

  deinit { close(descriptor) }

  // MARK: Sending

  func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "the daemon has closed the connection") }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ json: JSON) throws(Failure) {
    let body = json.serialized()
    try send(Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
  }

  func notify(_ method: String, _ params: JSON) throws(Failure) {
    try send(["jsonrpc": "2.0", "method": JSON(method), "params": params])
  }

  /// Sends a request, and returns its identifier.
  func request(_ method: String, _ params: JSON) throws(Failure) -> Int64 {
    lastID += 1
    try send(
      ["jsonrpc": "2.0", "id": .integer(lastID), "method": JSON(method), "params": params])
    return lastID
  }

  // MARK: Receiving

  /// The answer to a request; other messages are dropped.
  func call(_ method: String, _ params: JSON) throws -> JSON {
    let id = try request(method, params)
    while true {
      let message = try next()
      if message["id"] == .integer(id), message["method"] == nil { return message }
    }
  }

  /// True if there is something to read, or the connection has ended; waits for it at most this long.
  func isReadable(within milliseconds: Int32) -> Bool {
    if !bytes.isEmpty { return true }
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, milliseconds) > 0
  }

  /// The next message.
  func next() throws -> JSON {
    while true {
      if let end = headerEnd {
        let header = String(decoding: bytes[..<end], as: UTF8.self)
        let digits = header.drop { !$0.isNumber }.prefix { $0.isNumber }
        guard let size = Int(digits) else { throw Failure(description: "a bad header: \(header)") }
        if bytes.count >= end + size {
          defer { bytes.removeFirst(end + size) }
          return try JSON.parse(Array(bytes[end..<end + size]), limits: .message)
        }
      }
      try receive()
    }
  }

  /// The next frame of the native dialect.
  func nextFrame() throws -> NativeAnswer {
    while true {
      let size = try bytes.withUnsafeBytes { try NativeFrame.size($0, bodySizeMax: 1 << 24) }
      if let size, bytes.count >= size {
        defer { bytes.removeFirst(size) }
        return try bytes[..<size].withUnsafeBytes { try NativeAnswer($0) }
      }
      try receive()
    }
  }

  /// Where the body of the first message begins.
  private var headerEnd: Int? {
    let mark = Array("\r\n\r\n".utf8)
    guard bytes.count >= mark.count else { return nil }
    for start in 0...min(bytes.count - mark.count, 128)
    where bytes[start..<start + mark.count].elementsEqual(mark) {
      return start + mark.count
    }
    return nil
  }

  private func receive() throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      throw Failure(
        description: count == 0 ? "the daemon has closed the connection" : "no answer in 20 s")
    }
    bytes += buffer.prefix(count)
  }
}

extension JSON {
  /// The code of the error in an answer; nil if it is none.
  var errorCode: Int64? {
    guard case .integer(let code)? = self["error"]?["code"] else { return nil }
    return code
  }
}
