import CBaselines
import EditModel

/// The same history as a C program would hand it to zstd: 40 bytes an edit, then the text.
struct ZstdRows {
  private let bytes: [UInt8]

  init(_ trace: Trace) {
    var rows: [UInt8] = []
    rows.reserveCapacity(trace.edits.count * 40 + trace.edits.units.count)
    func append(_ value: Int64) {
      withUnsafeBytes(of: value.littleEndian) { rows.append(contentsOf: $0) }
    }
    for (index, edit) in trace.edits.flat.enumerated() {
      append(Int64(edit.position))
      append(Int64(edit.removed))
      append(Int64(edit.inserted))
      append(trace.times[index].nanoseconds)
      append(Int64(trace.transactions[index]))
    }
    bytes = rows + Array(String(decoding: trace.edits.units, as: UTF16.self).utf8)
  }

  /// Bytes that the rows take at a level.
  @discardableResult
  func compress(_ level: Int) -> Int { frame(level).count }

  /// The rows compressed.
  func frame(_ level: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: compressed_bound(bytes.count)) { target, count in
      count = bytes.withUnsafeBufferPointer {
        compress_bytes(target.baseAddress, target.count, $0.baseAddress, $0.count, Int32(level))
      }
    }
  }

  /// The rows out of a frame.
  func decompress(_ frame: [UInt8]) {
    let size = bytes.count
    let rows = [UInt8](unsafeUninitializedCapacity: size) { target, count in
      count = frame.withUnsafeBufferPointer {
        decompress_bytes(target.baseAddress, size, $0.baseAddress, $0.count)
      }
    }
    precondition(rows.count == size, "zstd gives back what it was given")
  }
}
