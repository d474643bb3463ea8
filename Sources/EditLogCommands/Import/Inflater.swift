import CZlib

/// Why gzip data cannot be unpacked.
enum InflateError: Error, Hashable, Sendable {
  /// The data ends in the middle of a member.
  case truncated
  /// The bytes are not gzip data, or have changed. The string is zlib's message.
  case damaged(String)
  /// After the last member, bytes follow that are not another member.
  case trailingBytes(offset: Int)
  /// The unpacked data has more than `sizeMax` bytes.
  case tooLong(sizeMax: Int)
  /// zlib could not allocate memory.
  case outOfMemory
}

/// Unpacks a stream of gzip members (RFC 1952) piece by piece, up to a maximum size.
struct Inflater: ~Copyable {
  // zlib requires that its state keeps its address, so it cannot be a stored value.
  private let stream: UnsafeMutablePointer<z_stream>
  private let sizeMax: Int
  private var inMember = false
  private var consumed = 0
  private var produced = 0

  /// An inflater that refuses to produce more than `sizeMax` bytes.
  init(sizeMax: Int) throws(InflateError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.sizeMax = sizeMax
    // 16 asks for a gzip header and trailer, 15 for the largest window.
    let status = inflateInit2_(
      stream, 16 + 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .outOfMemory }
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Unpacks the next bytes of the stream and adds the result to `output`.
  mutating func unpack(_ input: [UInt8], into output: inout [UInt8]) throws(InflateError) {
    var offset = 0
    while offset < input.count {
      if !inMember { try beginMember(at: consumed, nextByte: input[offset]) }
      offset += try step(input[offset...], into: &output)
    }
  }

  /// Checks that the stream ended with a whole member.
  func finish() throws(InflateError) {
    if inMember || consumed == 0 { throw .truncated }
  }

  private mutating func beginMember(at offset: Int, nextByte: UInt8) throws(InflateError) {
    guard offset == 0 || nextByte == 0x1F else { throw .trailingBytes(offset: offset) }
    if offset > 0 { inflateReset(stream) }
    inMember = true
  }

  /// Runs zlib until it has read the input or reached the end of a member.
  /// - Returns: the number of bytes of `input` that were read.
  private mutating func step(
    _ input: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(InflateError) -> Int {
    var (status, taken) = (Z_OK, 0)
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    repeat {
      let made: Int
      (status, taken, made) = inflateOnce(input.dropFirst(taken), taken, &piece)
      guard made <= sizeMax - produced else { throw .tooLong(sizeMax: sizeMax) }
      produced += made
      output.append(contentsOf: piece.prefix(made))
      try check(status)
      // If the piece is full, zlib may have more output.
      if made < Self.pieceSize && taken == input.count { break }
    } while status != Z_STREAM_END
    if status == Z_STREAM_END { inMember = false }
    consumed += taken
    return taken
  }

  private func inflateOnce(
    _ input: ArraySlice<UInt8>, _ taken: Int, _ piece: inout [UInt8]
  ) -> (status: Int32, taken: Int, made: Int) {
    input.withUnsafeBufferPointer { source in
      piece.withUnsafeMutableBufferPointer { target in
        // zlib's interface takes a mutable pointer, but does not write through it.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.pointee.avail_in = UInt32(source.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(target.count)
        let status = inflate(stream, Z_NO_FLUSH)
        return (
          status, taken + source.count - Int(stream.pointee.avail_in),
          target.count - Int(stream.pointee.avail_out)
        )
      }
    }
  }

  private func check(_ status: Int32) throws(InflateError) {
    switch status {
    // Z_BUF_ERROR means only that zlib needs more input.
    case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return
    case Z_MEM_ERROR: throw .outOfMemory
    default: throw .damaged(stream.pointee.msg.map { String(cString: $0) } ?? "code \(status)")
    }
  }

  private static let pieceSize = 1 << 16
}
