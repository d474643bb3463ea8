/// A dialect of the socket.
enum Dialect: String, CaseIterable, Sendable {
  case json, native

  /// The requests of one connection.
  func requests(for document: String) throws -> any RequestWriter {
    switch self {
    case .json: JSONRequests(document: document)
    case .native: NativeRequests(document: document)
    }
  }
}

/// Writes requests that append to one document, and reads the answers to them.
protocol RequestWriter: Sendable {
  /// The bytes that open the connection.
  var opening: [UInt8] { get }
  /// Adds request `number`, counted from 1, of `batch` edits.
  mutating func write(request number: UInt64, batch: Int, to bytes: inout [UInt8])
  /// Reads complete answers off the front of `bytes`. Returns the size of what was read, and the number
  /// of the last request that is acknowledged with all before it; 0 if none is.
  mutating func readAnswers(_ bytes: UnsafeRawBufferPointer) throws -> (size: Int, last: UInt64)
}
