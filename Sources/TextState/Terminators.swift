extension UInt16 {
  static var lineFeed: UInt16 { 0x0A }
  static var carriageReturn: UInt16 { 0x0D }
  static var paragraphSeparator: UInt16 { 0x2029 }

  /// True if a paragraph ends with this unit. (CR LF is one terminator: see where it is
  /// asked.)
  @inline(__always)
  var endsParagraph: Bool {
    self == .lineFeed || self == .carriageReturn || self == .paragraphSeparator
  }
}
