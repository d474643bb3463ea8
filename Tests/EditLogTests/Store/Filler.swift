import EditModel

/// What stands in the place of text that was redacted in a store of the first drafts.
enum Filler {
  /// Text of as many units and, as WTF-8, as many bytes as `text`, with the same line and
  /// paragraph ends: all that metas, offsets and paragraphs rest on stays as it was.
  static func text(for text: UTF16Text) -> UTF16Text {
    var units = text.units
    var index = 0
    while index < units.count {
      let isPair =
        UTF16.isLeadSurrogate(units[index]) && index + 1 < units.count
        && UTF16.isTrailSurrogate(units[index + 1])
      if isPair { (units[index], units[index + 1]) = (0xD83D, 0xDD12) }
      if !isPair { units[index] = unit(for: units[index]) }
      index += isPair ? 2 : 1
    }
    return UTF16Text(units: units)
  }

  /// A filler unit of as many bytes; a surrogate without a partner has three.
  private static func unit(for unit: UInt16) -> UInt16 {
    switch unit {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: unit
    case ..<0x80: 0x2A
    case ..<0x800: 0xB7
    default: 0x2588
    }
  }
}
