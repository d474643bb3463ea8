import EditModel

/// The paragraphs of a whole text.
enum ParagraphScan {
  /// A paragraph, terminator included.
  struct Piece: Equatable, BitwiseCopyable {
    /// UTF-16 units.
    let length: Int
    let endsInLF: Bool
  }

  /// The paragraphs of `text`, in order. O(n): 32 bytes of text at a time are passed over if no
  /// terminator is among them.
  static func pieces(of text: UTF16Text) -> [Piece] {
    if let bytes = text.latin1 { return bytes.withUnsafeBufferPointer(pieces) }
    return text.withUnits { $0.withUnsafeBufferPointer(pieces) }
  }

  private static func pieces(_ bytes: UnsafeBufferPointer<UInt8>) -> [Piece] {
    scan(bytes, Terminators.ofBytes)
  }

  private static func pieces(_ units: UnsafeBufferPointer<UInt16>) -> [Piece] {
    scan(units, Terminators.ofUnits)
  }

  @inline(__always)
  private static func scan<Unit: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ units: UnsafeBufferPointer<Unit>, _ terminators: (UInt64) -> UInt64
  ) -> [Piece] {
    var (pieces, start, index): ([Piece], Int, Int) = ([], 0, 0)
    let bytes = UnsafeRawBufferPointer(units)
    let step = 32 / MemoryLayout<Unit>.size
    while index < units.count {
      if index &+ step <= units.count {
        var found: UInt64 = 0
        for word in 0..<4 {
          // `step` units from `index` on are in the buffer.
          found |= terminators(
            bytes.loadUnaligned(
              fromByteOffset: index &* MemoryLayout<Unit>.size &+ word &* 8, as: UInt64.self))
        }
        if found == 0 {
          index &+= step
          continue
        }
      }
      let end = min(index &+ step, units.count)
      while index < end {
        let unit = UInt16(truncatingIfNeeded: units[index])
        index &+= 1
        guard unit.endsParagraph else { continue }
        // CR LF is one terminator.
        if unit == .carriageReturn, index < units.count, units[index] == 0x0A { continue }
        pieces.append(Piece(length: index &- start, endsInLF: unit == .lineFeed))
        start = index
      }
    }
    pieces.append(Piece(length: units.count - start, endsInLF: false))
    return pieces
  }
}
