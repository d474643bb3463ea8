public import EditJSON
public import NIOCore

/// Adds the header before each body.
public struct FrameEncoder: MessageToByteEncoder, Sendable {
  /// A frame's body.
  public typealias OutboundIn = ByteBuffer

  /// An encoder.
  public init() {}

  /// Writes a frame with this body.
  public func encode(data: ByteBuffer, out: inout ByteBuffer) {
    out.writeString("Content-Length: \(data.readableBytes)\r\n\r\n")
    out.writeImmutableBuffer(data)
  }
}

extension RPCMessage {
  /// Writes the message as a frame at the end of `buffer`. O(size).
  public func write(frameInto buffer: inout ByteBuffer) {
    let body = json.serialized()
    buffer.writeString("Content-Length: \(body.count)\r\n\r\n")
    buffer.writeBytes(body)
  }

  /// The message as a frame. O(size).
  public var frame: ByteBuffer {
    var buffer = ByteBuffer()
    write(frameInto: &buffer)
    return buffer
  }

  /// Reads the body of a frame.
  ///
  /// - Throws: `ProtocolError` of code `parseError` or `invalidRequest`.
  public init(body: ByteBuffer) throws(ProtocolError) {
    try self.init(json: JSON(body: body))
  }
}

extension JSON {
  /// Reads the body of a frame. Long strings are decoded on access, and the value keeps `body` in
  /// memory as long as it has one of them.
  ///
  /// - Throws: `ProtocolError` of code `parseError`.
  public init(body: ByteBuffer, limits: Limits = .message) throws(ProtocolError) {
    do { self = try JSON.parse(frame: body, limits: limits) } catch { throw ProtocolError(error) }
  }
}
