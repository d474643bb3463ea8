import EditJSON
import EditModel
import EditProtocol
import NIOCore

/// A connection's bytes: frames, each with a message.
struct FrameTarget: Target {
  var format: (any Format)? { FrameFormat() }

  func seeds() -> [[UInt8]] { FrameSeeds.messages.map { FrameFormat.frame(Array($0.utf8)) } }

  func run(_ bytes: [UInt8]) {
    let bodies = decode(bytes, pieceSize: bytes.count)
    if decode(bytes, pieceSize: 7) != bodies { contradiction("frames depend on how bytes arrive") }
    for body in bodies { read(body) }
    read(bytes)
  }

  /// The bodies before the first error, of bytes that arrive in pieces.
  private func decode(_ bytes: [UInt8], pieceSize: Int) -> [[UInt8]] {
    var (decoder, buffer, bodies) = (FrameDecoder(frameSizeMax: 1 << 16), ByteBuffer(), [[UInt8]]())
    for start in stride(from: 0, to: bytes.count, by: max(pieceSize, 1)) {
      buffer.writeBytes(bytes[start..<min(start + pieceSize, bytes.count)])
      do {
        while let body = try decoder.decode(buffer: &buffer) {
          bodies.append(Array(body.readableBytesView))
        }
      } catch { break }
    }
    return bodies
  }

  private func read(_ body: [UInt8]) {
    guard let json = try? JSON.parse(body, limits: .message) else { return }
    let written = json.serialized()
    guard let again = try? JSON.parse(written) else { contradiction("JSON that is not read again") }
    if again != json, again.serialized() != written { contradiction("JSON changes when written") }
    if let message = try? RPCMessage(json: json) { read(message) }
    _ = try? AppendEdit(json: json)
    _ = try? AppendRequest(json: json)
    _ = try? AppendResult(json: json)
    _ = try? ForwardRequest(json: json)
    _ = try? HistoryEntry(json: json)
    _ = try? AttributeValue(json: json)
  }

  private func read(_ message: RPCMessage) {
    guard case .request(_, _, let params) = message else { return }
    if let request = try? AppendRequest(json: params) {
      guard let again = try? AppendRequest(json: request.json), again.json == request.json else {
        contradiction("an append changes when written")
      }
    }
  }
}
