/// JSON-RPC with LSP framing. Each edit appends one letter to the text.
struct JSONRequests: RequestWriter {
  private let document: String
  private var location = 0

  init(document: String) { self.document = document }

  let opening: [UInt8] = []

  mutating func write(request number: UInt64, batch: Int, to bytes: inout [UInt8]) {
    var body = """
      {"jsonrpc":"2.0","id":\(number),"method":"editlog/append","params":{"document":"\(document)",\
      "session":"load","counter":\(number),"edits":[
      """
    for index in 0..<batch {
      body += index == 0 ? "" : ","
      body += """
        {"actions":["characters"],"location":\(location),"length":0,"changeInLength":1,"text":"a"}
        """
      location += 1
    }
    body += "]}}"
    bytes += "Content-Length: \(body.utf8.count)\r\n\r\n".utf8
    bytes += body.utf8
  }

  mutating func readAnswers(_ bytes: UnsafeRawBufferPointer) throws -> (size: Int, last: UInt64) {
    var (read, last) = (0, UInt64(0))
    while let (start, end) = Self.body(in: bytes, from: read) {
      let body = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      guard let number = Self.number(of: body) else {
        throw Failure("the daemon refused an edit: \(String(decoding: body, as: UTF8.self))")
      }
      (read, last) = (end, max(last, number))
    }
    return (read, last)
  }

  /// The range of the body of the frame at `offset`; nil if the frame is not complete.
  private static func body(
    in bytes: UnsafeRawBufferPointer, from offset: Int
  ) -> (Int, Int)? {
    // "Content-Length: " and digits.
    var place = offset + 16
    var size = 0
    while place < bytes.count, (0x30...0x39).contains(bytes[place]) {
      size = size * 10 + Int(bytes[place] - 0x30)
      place += 1
    }
    guard place + 4 + size <= bytes.count else { return nil }
    return (place + 4, place + 4 + size)
  }

  /// The number of the request that an answer is to; nil if it is an error.
  private static func number(of body: UnsafeRawBufferPointer) -> UInt64? {
    guard find("\"result\":", in: body) != nil, let place = find("\"id\":", in: body) else {
      return nil
    }
    return body[place...].prefix { (0x30...0x39).contains($0) }
      .reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
  }

  /// The offset after `text`.
  private static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return nil }
    return (0...bytes.count - count).first { start in
      (0..<count).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
    }.map { $0 + count }
  }
}
