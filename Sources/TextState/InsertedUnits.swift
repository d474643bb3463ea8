package import EditModel

/// The units that an edit inserts: UTF-16 units, or one byte for each unit if all are below 0x100.
protocol InsertedUnits {
  var count: Int { get }
  /// The unit at `index`.
  subscript(index: Int) -> UInt16 { get }
  /// The units of `range`.
  func extracting(_ range: Range<Int>) -> Self
  /// The first unit at or after `start` that ends a paragraph. O(units passed).
  func firstTerminator(from start: Int) -> Int?
  /// Replaces `range` of a text by the units.
  func replace(_ range: Range<Int>, of text: GapTree<UInt16>)
}

extension UnsafeBufferPointer<UInt16>: InsertedUnits {
  func replace(_ range: Range<Int>, of text: GapTree<UInt16>) { text.replace(range, with: self) }

  @inline(__always)
  func firstTerminator(from start: Int) -> Int? {
    first(from: start, unitSize: 2, UnsafeRawPointer(baseAddress), Terminators.ofUnits)
  }
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

  @inline(__always)
  func firstTerminator(from start: Int) -> Int? {
    first(from: start, unitSize: 1, UnsafeRawPointer(bytes.baseAddress), Terminators.ofBytes)
  }
}

extension InsertedUnits {
  /// The first unit at or after `start` that ends a paragraph: eight bytes at a time, whose
  /// terminators `terminators` finds.
  @inline(__always)
  fileprivate func first(
    from start: Int, unitSize: Int, _ memory: UnsafeRawPointer?, _ terminators: (UInt64) -> UInt64
  ) -> Int? {
    guard let memory else { return nil }
    var index = start
    while index &+ 8 / unitSize <= count {
      // As many units from `index` on are in the memory.
      let word = memory.loadUnaligned(fromByteOffset: index &* unitSize, as: UInt64.self)
      let found = terminators(UInt64(littleEndian: word))
      if found != 0 { return index &+ found.trailingZeroBitCount / (8 &* unitSize) }
      index &+= 8 / unitSize
    }
    while index < count {
      if self[index].endsParagraph { return index }
      index &+= 1
    }
    return nil
  }

  /// The number of units that end a paragraph, and the number of CRs among them. O(count).
  func countTerminators() -> (all: Int, carriageReturns: Int) {
    var (all, returns, index) = (0, 0, 0)
    while let terminator = firstTerminator(from: index) {
      all &+= 1
      if self[terminator] == .carriageReturn { returns &+= 1 }
      index = terminator &+ 1
    }
    return (all, returns)
  }
}

extension UTF16Text {
  /// The units that end a paragraph, where CR LF counts as two: an upper bound of the paragraphs that
  /// the text makes. O(n).
  package var terminatorCount: Int {
    if let latin1 {
      return latin1.withUnsafeBufferPointer { ByteUnits(bytes: $0).countTerminators().all }
    }
    return units.withUnsafeBufferPointer { $0.countTerminators().all }
  }
}
