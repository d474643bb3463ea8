import DequeModule
import EditProtocol
import NIOCore

/// The answers of one connection that are not sent yet. They are written in pieces of `pieceSize`, only
/// as fast as the client reads them.
///
/// Used only on the connection's event loop.
struct AnswerQueue {
  private static let pieceSize = 32 << 10

  /// Bytes for one write, and the charges to release when the system has taken them.
  struct Piece {
    var bytes: ByteBuffer
    var charges: [ByteAccount.Charge]
  }

  private struct Waiting {
    var body: AnswerBody
    var offset = 0
    /// True if the header of a frame goes before the body.
    var needsHeader: Bool
    let charge: ByteAccount.Charge?
  }

  private var waiting: Deque<Waiting> = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ body: AnswerBody, _ charge: ByteAccount.Charge?) {
    waiting.append(Waiting(body: body, needsHeader: true, charge: charge))
  }

  /// Adds whole frames.
  mutating func add(frames: AnswerBody, _ charge: ByteAccount.Charge?) {
    waiting.append(Waiting(body: frames, needsHeader: false, charge: charge))
  }

  /// Drops all answers. Returns their charges, which must be released.
  mutating func removeAll() -> [ByteAccount.Charge] {
    defer { waiting.removeAll() }
    return waiting.compactMap(\.charge)
  }

  /// The next bytes to write. Returns nil if there are none.
  mutating func next() throws(AnswerFile.Failure) -> Piece? {
    guard !waiting.isEmpty else { return nil }
    var piece = Piece(bytes: ByteBuffer(), charges: [])
    while !waiting.isEmpty, piece.bytes.readableBytes < Self.pieceSize {
      let first = waiting.startIndex
      if waiting[first].needsHeader {
        waiting[first].needsHeader = false
        piece.bytes.writeString("Content-Length: \(waiting[first].body.size)\r\n\r\n")
      }
      let room = max(1, Self.pieceSize - piece.bytes.readableBytes)
      let offset = waiting[first].offset
      let count = min(room, waiting[first].body.size - offset)
      try waiting[first].body.copy(count, at: offset, into: &piece.bytes)
      waiting[first].offset += count
      guard waiting[first].offset == waiting[first].body.size else { break }
      if let charge = waiting.removeFirst().charge { piece.charges.append(charge) }
    }
    return piece
  }
}

extension AnswerBody {
  fileprivate func copy(
    _ count: Int, at offset: Int, into piece: inout ByteBuffer
  ) throws(AnswerFile.Failure) {
    switch self {
    case .memory(let bytes):
      guard var part = bytes.getSlice(at: bytes.readerIndex + offset, length: count) else { return }
      piece.writeBuffer(&part)
    case .file(let file, _, _):
      var failure: AnswerFile.Failure?
      piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
        do throws(AnswerFile.Failure) {
          try file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]), at: offset)
          return count
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
    }
  }
}
