import EditJSON
import EditProtocol
import NIOCore

/// The body of an answer that is not sent yet: in memory if it is short, in a file if it is long.
enum AnswerBody: Sendable {
  case memory(ByteBuffer)
  case file(AnswerFile, size: Int, AnswerFileSpace)

  /// The size in bytes of the longest answer in memory.
  static let memorySizeMax = 64 << 10

  /// The size in bytes.
  var size: Int {
    switch self {
    case .memory(let bytes): bytes.readableBytes
    case .file(_, let size, _): size
    }
  }

  /// Serializes a message.
  ///
  /// - Throws: `AnswerFile.Failure` if there is no space for a file.
  init(_ message: RPCMessage, _ files: AnswerFiles) throws(AnswerFile.Failure) {
    var sink = Sink(files: files)
    message.json.serialize(to: &sink)
    self = try sink.finish()
  }

  /// Takes a frame.
  ///
  /// - Throws: `AnswerFile.Failure` if there is no space for a file.
  init(frame: [UInt8], _ files: AnswerFiles) throws(AnswerFile.Failure) {
    var sink = Sink(files: files)
    frame.withUnsafeBufferPointer { sink.append(bytes: $0) }
    self = try sink.finish()
  }

  /// Serializes a message to memory, even if it is long.
  init(inMemory message: RPCMessage) {
    self = .memory(ByteBuffer(bytes: message.json.serialized()))
  }

  /// Collects bytes in memory. From `memorySizeMax` bytes on, they are written to a file.
  private struct Sink: ByteSink {
    let files: AnswerFiles
    var buffer: [UInt8] = []
    var file: AnswerFile?
    var written = 0
    var failure: AnswerFile.Failure?
    var space: AnswerFileSpace?

    mutating func append(_ byte: UInt8) {
      buffer.append(byte)
      if buffer.count >= AnswerBody.memorySizeMax { spill() }
    }

    mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
      guard buffer.count + bytes.count > AnswerBody.memorySizeMax else {
        return buffer.append(contentsOf: bytes)
      }
      spill()
      write(UnsafeRawBufferPointer(bytes))
    }

    private mutating func spill() {
      let full = buffer
      buffer.removeAll(keepingCapacity: true)
      full.withUnsafeBytes { write($0) }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
      guard failure == nil else { return }
      do throws(AnswerFile.Failure) {
        let (file, space) = try destination()
        try space.add(bytes.count)
        try file.write(bytes, at: written)
        written += bytes.count
      } catch { failure = error }
    }

    private mutating func destination() throws(AnswerFile.Failure) -> (AnswerFile, AnswerFileSpace)
    {
      if let file, let space { return (file, space) }
      let new = (try files.open(), AnswerFileSpace(files))
      (file, space) = new
      return new
    }

    mutating func finish() throws(AnswerFile.Failure) -> AnswerBody {
      if file != nil { spill() }
      if let failure { throw failure }
      guard let file, let space else { return .memory(ByteBuffer(bytes: buffer)) }
      return .file(file, size: written, space)
    }
  }
}
