/// The units that an edit inserts: UTF-16 units, or one byte for each unit if all are below 0x100.
protocol InsertedUnits {
  var count: Int { get }
  /// The unit at `index`.
  subscript(index: Int) -> UInt16 { get }
  /// The units of `range`.
  func extracting(_ range: Range<Int>) -> Self
  /// Replaces `range` of a text by the units.
  func replace(_ range: Range<Int>, of text: GapTree<UInt16>)
}

extension UnsafeBufferPointer<UInt16>: InsertedUnits {
  func replace(_ range: Range<Int>, of text: GapTree<UInt16>) { text.replace(range, with: self) }
}

/// Units below 0x100 as bytes.
struct ByteUnits: InsertedUnits {
  let bytes: UnsafeBufferPointer<UInt8>

  var count: Int { bytes.count }

  @inline(__always)
  subscript(index: Int) -> UInt16 { UInt16(bytes[index]) }

  func extracting(_ range: Range<Int>) -> ByteUnits { ByteUnits(bytes: bytes.extracting(range)) }

  func replace(_ range: Range<Int>, of text: GapTree<UInt16>) {
    text.rebuild(range, withUnitsAsBytes: bytes)
  }
}

extension InsertedUnits {
  /// The first unit at or after `start` that ends a paragraph. O(units passed), in blocks that the
  /// compiler turns into vector instructions.
  @inline(__always)
  func firstTerminator(from start: Int) -> Int? {
    var index = start
    while index &+ 16 <= count {
      var found: UInt16 = 0
      for offset in 0..<16 {
        let unit = self[index &+ offset]
        found |= unit == .lineFeed ? 1 : 0
        found |= unit == .carriageReturn ? 1 : 0
        found |= unit == .paragraphSeparator ? 1 : 0
      }
      if found != 0 { break }
      index &+= 16
    }
    while index < count {
      if self[index].endsParagraph { return index }
      index &+= 1
    }
    return nil
  }

  /// The number of units that end a paragraph, and the number of CRs among them. O(count).
  func countTerminators() -> (all: Int, carriageReturns: Int) {
    var (others, returns) = (0, 0)
    for index in 0..<count {
      let unit = self[index]
      others &+= unit == .lineFeed || unit == .paragraphSeparator ? 1 : 0
      returns &+= unit == .carriageReturn ? 1 : 0
    }
    return (others + returns, returns)
  }
}
