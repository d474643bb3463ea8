package import EditModel

/// A text without the details that editors, servers and files disagree about: a byte order mark, CR LF
/// instead of LF, and one newline at the end. Two texts that are equal in this form count as the same
/// saved text.
package struct ComparableText: Hashable {
  private let units: [UInt16]

  package init(_ text: UTF16Text) {
    let source = text.units
    var kept: [UInt16] = []
    kept.reserveCapacity(source.count)
    for (index, unit) in source.enumerated() where !(index == 0 && unit == 0xFEFF) {
      if unit == 0x0A, kept.last == 0x0D { kept.removeLast() }
      kept.append(unit)
    }
    if kept.last == 0x0A { kept.removeLast() }
    units = kept
  }

  /// The text of a file's bytes. Returns nil if they are not UTF-8: an editor may have written its
  /// text in another encoding, so they prove nothing.
  init?(bytes: [UInt8]) {
    guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(UTF16Text(string))
  }
}
