extension UInt16 {
  static var lineFeed: UInt16 { 0x0A }
  static var carriageReturn: UInt16 { 0x0D }
  static var paragraphSeparator: UInt16 { 0x2029 }

  /// True where a paragraph ends with this unit. (CR LF is one terminator: see where it is
  /// asked.)
  @inline(__always)
  var endsParagraph: Bool {
    self == .lineFeed || self == .carriageReturn || self == .paragraphSeparator
  }
}

extension UnsafeBufferPointer<UInt16> {
  /// The first unit at `start` or behind with which a paragraph ends. O(units passed), in blocks
  /// that the compiler turns into vector instructions.
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

  /// The units with which a paragraph ends, and the CRs among them. O(count).
  func countTerminators() -> (all: Int, carriageReturns: Int) {
    var (others, returns) = (0, 0)
    for unit in self {
      others &+= unit == .lineFeed || unit == .paragraphSeparator ? 1 : 0
      returns &+= unit == .carriageReturn ? 1 : 0
    }
    return (others + returns, returns)
  }
}
