/// Frames of zstd (RFC 8878) that no compressor of ours writes. Made by hand, for they need no
/// compressor: a block of one repeated byte takes four.
enum ZstdForgery {
  static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// All forgeries, by name.
  static let all: [(name: String, bytes: [UInt8])] = {
    var frames: [(String, [UInt8])] = [
      ("a bomb of 1 GiB", frame(size: 1 << 30, zeros: 1 << 30)),
      ("a bomb of 1 GiB that says 1 KiB", frame(size: 1 << 10, zeros: 1 << 30)),
      ("a bomb of unknown size", unknownSize(zeros: 1 << 30)),
      ("a dictionary", frame(size: 4, zeros: 4, dictionary: 77)),
      ("no checksum", frame(size: 4, zeros: 4, hasChecksum: false)),
      ("trailing bytes", frame(size: 4, zeros: 4) + [0]),
      ("two frames", frame(size: 4, zeros: 4) + frame(size: 4, zeros: 4)),
      ("a skippable frame", skippable(16) + frame(size: 4, zeros: 4)),
      ("a skippable frame that says 4 GiB", [0x50, 0x2A, 0x4D, 0x18] + [0xFF, 0xFF, 0xFF, 0xFF]),
      ("a reserved bit", magic + [0x2C, 0x04]),
      ("nothing", []), ("the magic alone", magic),
    ]
    let empty = frame(size: 0, zeros: 0)
    frames.append(
      ("a MiB of empty frames", Array((0..<(1 << 20) / empty.count).map { _ in empty }.joined())))
    frames.append(
      ("a MiB of empty blocks", magic + [0x20 | 4, 4] + [UInt8](repeating: 0, count: 1 << 20)))
    for log in [27, 28, 31, 41] {
      frames.append(("a window of 2^\(log)", window(log: log)))
    }
    for shift in [30, 31, 32, 33, 40, 60, 63] {
      frames.append(("a size of 2^\(shift)", frame(size: 1 << UInt64(shift), zeros: 4)))
    }
    frames.append(("a size of 2^64 - 1", frame(size: .max, zeros: 4)))
    return frames
  }()

  /// A frame of one segment that says `size` and holds `zeros` zeros.
  private static func frame(
    size: UInt64, zeros: Int, dictionary: UInt32 = 0, hasChecksum: Bool = true
  ) -> [UInt8] {
    var bytes = magic
    bytes.append(0xC0 | 0x20 | (hasChecksum ? 4 : 0) | (dictionary == 0 ? 0 : 3))
    if dictionary != 0 { append(UInt64(dictionary), 4, &bytes) }
    append(size, 8, &bytes)
    return bytes + blocks(zeros) + (hasChecksum ? [1, 2, 3, 4] : [])
  }

  private static func unknownSize(zeros: Int) -> [UInt8] {
    magic + [0x04, 0x50] + blocks(zeros) + [1, 2, 3, 4]
  }

  private static func window(log: Int) -> [UInt8] {
    var bytes = magic + [0xC0 | 4, UInt8((log - 10) << 3)]
    append(4, 8, &bytes)
    return bytes + blocks(4) + [1, 2, 3, 4]
  }

  private static func skippable(_ size: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]
    append(UInt64(size), 4, &bytes)
    return bytes + [UInt8](repeating: 0, count: size)
  }

  /// Blocks of type 1: a byte that is repeated.
  private static func blocks(_ zeros: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = zeros
    repeat {
      let size = min(rest, 128 << 10)
      rest -= size
      append(UInt64(size << 3 | 1 << 1 | (rest == 0 ? 1 : 0)), 3, &bytes)
      bytes.append(0)
    } while rest > 0
    return bytes
  }

  private static func append(_ value: UInt64, _ size: Int, _ bytes: inout [UInt8]) {
    for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(byte * 8))) }
  }
}
