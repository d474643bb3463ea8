/// Texts made for figures that need a certain shape.
enum Documents {
  /// `count` paragraphs of `length` units each, the last one without a terminator.
  static func paragraphs(_ count: Int, of length: Int) -> [UInt16] {
    var units = lines(count * length, of: length)
    if !units.isEmpty { units[units.count - 1] = 0x65 }
    return units
  }

  /// `count` units in lines of `length` units each.
  static func lines(_ count: Int, of length: Int) -> [UInt16] {
    (0..<count).map { index in
      let column = index % length
      if column == length - 1 { return 0x0A }
      return column % 6 == 5 ? 0x20 : UInt16(0x61 + (index / 6 + column) % 26)
    }
  }

  /// The text as one paragraph: each terminator becomes a space.
  static func joined(_ units: [UInt16]) -> [UInt16] {
    units.map { $0 == 0x0A || $0 == 0x0D || $0 == 0x2029 ? 0x20 : $0 }
  }
}
