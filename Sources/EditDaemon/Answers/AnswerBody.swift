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

  /// Collects the message that `write` writes, which is never in memory as a whole if it is long.
  ///
  /// - Parameter isWanted: Asked for each piece. If it returns false, the message is cut.
  /// - Throws: `AnswerFile.Failure` if there is no space for a file.
  init(
    _ files: AnswerFiles, isWanted: @escaping () -> Bool = { true },
    write: (inout JSONWriter) -> Void
  ) throws(AnswerFile.Failure) {
    let sink = Sink(files)
    var writer = JSONWriter { bytes in
      sink.append(UnsafeRawBufferPointer(bytes))
      return sink.failure == nil && isWanted()
    }
    write(&writer)
    writer.finish()
    self = try sink.finish()
  }

  /// Serializes a message.
  ///
  /// - Throws: `AnswerFile.Failure` if there is no space for a file.
  init(_ message: RPCMessage, _ files: AnswerFiles) throws(AnswerFile.Failure) {
    try self.init(files) { $0.append(message.json) }
  }

  /// Takes a frame.
  ///
  /// - Throws: `AnswerFile.Failure` if there is no space for a file.
  init(frame: [UInt8], _ files: AnswerFiles) throws(AnswerFile.Failure) {
    let sink = Sink(files)
    frame.withUnsafeBytes { sink.append($0) }
    self = try sink.finish()
  }

  /// Collects the message that `write` writes in memory. Nil if it has more than `sizeMax` bytes.
  init?(inMemoryUpTo sizeMax: Int, write: (inout JSONWriter) -> Void) {
    var bytes = ByteBuffer()
    var writer = JSONWriter { piece in
      guard bytes.readableBytes + piece.count <= sizeMax else { return false }
      bytes.writeBytes(UnsafeRawBufferPointer(piece))
      return true
    }
    write(&writer)
    writer.finish()
    if writer.isStopped { return nil }
    self = .memory(bytes)
  }

  /// Serializes a message to memory, even if it is long.
  init(inMemory message: RPCMessage) {
    self = .memory(ByteBuffer(bytes: message.json.serialized()))
  }

  /// Collects bytes in memory. From `memorySizeMax` bytes on, they are written to a file.
  private final class Sink {
    private let files: AnswerFiles
    private var buffer: [UInt8] = []
    private var file: (AnswerFile, AnswerFileSpace)?
    private var written = 0
    private(set) var failure: AnswerFile.Failure?

    init(_ files: AnswerFiles) { self.files = files }

    func append(_ bytes: UnsafeRawBufferPointer) {
      guard buffer.count + bytes.count > AnswerBody.memorySizeMax else {
        return buffer.append(contentsOf: bytes)
      }
      spill()
      write(bytes)
    }

    private func spill() {
      let full = buffer
      buffer.removeAll(keepingCapacity: true)
      full.withUnsafeBytes { write($0) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
      guard failure == nil else { return }
      do throws(AnswerFile.Failure) {
        let (file, space) = try destination()
        try space.add(bytes.count)
        try file.write(bytes, at: written)
        written += bytes.count
      } catch { failure = error }
    }

    private func destination() throws(AnswerFile.Failure) -> (AnswerFile, AnswerFileSpace) {
      if let file { return file }
      let new = (try files.open(), AnswerFileSpace(files))
      file = new
      return new
    }

    func finish() throws(AnswerFile.Failure) -> AnswerBody {
      if file != nil { spill() }
      if let failure { throw failure }
      guard let (file, space) = file else { return .memory(ByteBuffer(bytes: buffer)) }
      return .file(file, size: written, space)
    }
  }
}
