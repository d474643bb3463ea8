public import NIOCore

/// Cuts a connection's bytes into the bodies of frames, as `FrameDecoder` does, but asks before
/// it takes memory for a body: the receiver lets each frame in when it has room for it, and reads
/// no further until then.
public struct FrameAssembler {
  /// What the bytes so far amount to.
  public enum Step: Sendable {
    /// Bytes are missing.
    case incomplete
    /// A frame with a body of `size` bytes is next; `admit()` accepts it.
    case announced(size: Int)
    /// A whole body.
    case body(ByteBuffer)
  }

  /// Bytes of the smallest body that gets memory of its own, in which it grows as it comes.
  public static let largeSizeMin = 64 << 10

  private enum Stage {
    case header
    case announced(Int)
    case small(Int)
    case large(Int)
  }

  private var decoder: FrameDecoder
  private var stage = Stage.header
  /// Bytes that came and are not read yet, those of a large body aside.
  private var buffer = ByteBuffer()
  private var largeBody = ByteBuffer()

  /// An assembler of bodies of at most `frameSizeMax` bytes.
  public init(frameSizeMax: Int) { decoder = FrameDecoder(frameSizeMax: frameSizeMax) }

  /// True from a frame's first byte to its last.
  public var isMidFrame: Bool {
    if case .header = stage { buffer.readableBytes > 0 } else { true }
  }

  /// Bytes of the body that is announced and not yet accepted; 0 if there is none.
  public var announcedSize: Int {
    if case .announced(let size) = stage { size } else { 0 }
  }

  /// Adds bytes that came.
  public mutating func append(_ bytes: ByteBuffer) {
    var bytes = bytes
    if case .large(let size) = stage { fill(&bytes, to: size) }
    guard bytes.readableBytes > 0 else { return }
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.writeBuffer(&bytes)
    }
  }

  /// What comes next; a body is handed out once.
  ///
  /// - Throws: `FrameError`, after which the assembler must not be used.
  public mutating func next() throws(FrameError) -> Step {
    switch stage {
    case .header:
      guard let size = try decoder.announcedSize(&buffer) else {
        compact()
        return .incomplete
      }
      stage = .announced(size)
      return .announced(size: size)
    case .announced(let size):
      return .announced(size: size)
    case .small(let size):
      guard let body = buffer.readSlice(length: size) else {
        compact()
        return .incomplete
      }
      stage = .header
      return .body(body)
    case .large(let size):
      guard largeBody.readableBytes == size else { return .incomplete }
      defer { (stage, largeBody) = (.header, ByteBuffer()) }
      return .body(largeBody)
    }
  }

  /// Lets the announced frame in.
  public mutating func admit() {
    guard case .announced(let size) = stage else { return }
    guard size >= Self.largeSizeMin else { return stage = .small(size) }
    stage = .large(size)
    largeBody = ByteBuffer()
    // Pages that no byte was written to take no memory.
    largeBody.reserveCapacity(size)
    var first = buffer
    buffer = ByteBuffer()
    fill(&first, to: size)
    buffer = first
  }

  private mutating func fill(_ bytes: inout ByteBuffer, to size: Int) {
    let missing = min(size - largeBody.readableBytes, bytes.readableBytes)
    guard var part = bytes.readSlice(length: missing) else { return }
    largeBody.writeBuffer(&part)
  }

  /// A few bytes do not keep the memory of the many they came with.
  private mutating func compact() {
    let count = buffer.readableBytes
    guard buffer.storageCapacity > 1024, count * 2 < buffer.storageCapacity else { return }
    buffer = ByteBuffer(buffer: buffer, reserving: count)
  }
}

extension ByteBuffer {
  /// The readable bytes of `other` in memory of their own.
  fileprivate init(buffer other: ByteBuffer, reserving count: Int) {
    self.init()
    guard count > 0 else { return }
    reserveCapacity(count)
    writeBytes(other.readableBytesView)
  }
}
