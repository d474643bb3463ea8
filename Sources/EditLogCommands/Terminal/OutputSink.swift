import EditJSON

/// Writes JSON to an output in pieces, so that a long line is not in memory as a whole.
struct OutputSink: ByteSink {
  private static let pieceSize = 64 << 10

  private let output: Output
  private var piece: [UInt8] = []
  private var failure: (any Error)?

  init(_ output: Output) {
    self.output = output
    piece.reserveCapacity(1 << 10)
  }

  mutating func append(_ byte: UInt8) { piece.append(byte) }

  mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
      let end = min(start + Self.pieceSize, bytes.count)
      piece.append(contentsOf: bytes.extracting(start..<end))
      if piece.count >= Self.pieceSize { write() }
    }
  }

  /// Writes the last piece.
  ///
  /// - Throws: the first error of the output.
  mutating func finish() throws {
    write()
    if let failure { throw failure }
  }

  private mutating func write() {
    defer { piece.removeAll(keepingCapacity: true) }
    guard failure == nil else { return }
    do { try output.write(bytes: piece) } catch { failure = error }
  }
}
