public import NIOCore

/// Splits a connection's bytes into frames, as `FrameDecoder`, but asks before it
/// allocates memory for a body: the receiver admits each frame when it has memory for it, and reads
/// no more bytes until then.
public struct FrameAssembler {
  /// The state after the bytes so far.
  public enum Step: Sendable {
    /// More bytes are needed.
    case incomplete
    /// A frame with a body of `size` bytes is next; `admit()` accepts it.
    case announced(size: Int)
    /// A whole body.
    case body(ByteBuffer)
  }

  /// The minimum size in bytes of a body that is collected in its own buffer.
  public static let largeSizeMin = 64 << 10

  private enum Stage {
    case header
    case announced(Int)
    case small(Int)
    case large(Int)
  }

  /// How the size of a frame is announced.
  private enum Header {
    /// `Content-Length`. A step has the body only.
    case json(FrameDecoder)
    /// The header of the native dialect. A step has the whole frame, as its checksum covers it all.
    case native(bodySizeMax: Int)
  }

  private var header: Header
  private var stage = Stage.header
  /// Received bytes that are not decoded yet, except those of a large body.
  private var buffer = ByteBuffer()
  private var largeBody = ByteBuffer()

  /// An assembler of bodies of at most `frameSizeMax` bytes.
  public init(frameSizeMax: Int) { header = .json(FrameDecoder(frameSizeMax: frameSizeMax)) }

  /// An assembler of frames of the native dialect, with bodies of at most `bodySizeMax` bytes.
  package init(nativeBodySizeMax bodySizeMax: Int) { header = .native(bodySizeMax: bodySizeMax) }

  /// True from a frame's first byte to its last.
  public var isMidFrame: Bool {
    if case .header = stage { buffer.readableBytes > 0 } else { true }
  }

  /// The size in bytes of the body that is announced and not yet admitted; 0 if there is none.
  public var announcedSize: Int {
    if case .announced(let size) = stage { size } else { 0 }
  }

  /// Adds received bytes.
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

  /// Decodes the next step. Each body is returned once.
  ///
  /// - Throws: `FrameError`, after which the assembler must not be used.
  public mutating func next() throws(FrameError) -> Step {
    switch stage {
    case .header:
      guard let size = try readHeader() else {
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

  /// Passes frames of the native dialect that have arrived whole to `body`, one after the other, until
  /// it returns false: that frame and those after it stay. Passes no frame of `largeSizeMin` bytes, and
  /// none after `announced`.
  package mutating func readFrames(_ body: (UnsafeRawBufferPointer) -> Bool) {
    guard case .native(let bodySizeMax) = header, case .header = stage else { return }
    let size = buffer.withUnsafeReadableBytes { bytes in
      var rest = bytes
      // An error in a header is thrown by `next`.
      while let size = try? NativeFrame.size(rest, bodySizeMax: bodySizeMax), size <= rest.count,
        size < Self.largeSizeMin, body(UnsafeRawBufferPointer(rebasing: rest[..<size]))
      {
        rest = UnsafeRawBufferPointer(rebasing: rest[size...])
      }
      return bytes.count - rest.count
    }
    buffer.moveReaderIndex(forwardBy: size)
  }

  /// The size of the next body, or in the native dialect of the whole frame. Nil if more bytes are
  /// needed.
  private mutating func readHeader() throws(FrameError) -> Int? {
    switch header {
    case .json(var decoder):
      defer { header = .json(decoder) }
      return try decoder.announcedSize(&buffer)
    case .native(let bodySizeMax):
      return try buffer.withBytes { (bytes) throws(FrameError) in
        try NativeFrame.size(bytes, bodySizeMax: bodySizeMax)
      }
    }
  }

  /// Admits the announced frame. Does nothing if none is announced.
  public mutating func admit() {
    guard case .announced(let size) = stage else { return }
    guard size >= Self.largeSizeMin else { return stage = .small(size) }
    stage = .large(size)
    largeBody = ByteBuffer()
    // The reserved capacity takes no memory until bytes are written to its pages.
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

  /// Copies a few remaining bytes to a small buffer, so that the large one is freed.
  private mutating func compact() {
    let count = buffer.readableBytes
    guard buffer.storageCapacity > 1024, count * 2 < buffer.storageCapacity else { return }
    buffer = ByteBuffer(buffer: buffer, reserving: count)
  }
}

extension ByteBuffer {
  /// A copy of the readable bytes of `other`.
  fileprivate init(buffer other: ByteBuffer, reserving count: Int) {
    self.init()
    guard count > 0 else { return }
    reserveCapacity(count)
    writeBytes(other.readableBytesView)
  }
}

extension ByteBuffer {
  /// Runs `body` on the readable bytes.
  @inlinable
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var result: Result<Value, Failure>?
    withUnsafeReadableBytes { bytes in
      do throws(Failure) { result = .success(try body(bytes)) } catch { result = .failure(error) }
    }
    guard let result else { preconditionFailure("the closure was not called") }
    return try result.get()
  }
}
