package import EditModel
package import TextState

/// A text without the details that editors, servers and files disagree about: a byte order mark, CR LF
/// instead of LF, and one newline at the end. Two texts that are equal in this form count as the same
/// saved text.
///
/// The form is made in parts while texts are compared, so a long text is not copied.
package struct ComparableText: Sendable {
  private enum Source {
    case text(UTF16Text)
    case state(TextState)
  }
  private let source: Source

  package init(_ text: UTF16Text) { source = .text(text) }

  /// The text of a state.
  package init(_ state: TextState) { source = .state(state) }

  /// The text of a file's bytes. Returns nil if they are not UTF-8: an editor may have written its
  /// text in another encoding, so they prove nothing.
  init?(bytes: [UInt8]) {
    guard let text = UTF16Text(utf8: bytes) else { return nil }
    self.init(text)
  }

  private var count: Int {
    switch source {
    case .text(let text): text.count
    case .state(let state): state.length
    }
  }

  private func units(in range: Range<Int>) -> [UInt16] {
    switch source {
    case .text(let text):
      if let latin1 = text.latin1 { return latin1[range].map { UInt16($0) } }
      return Array(text.units[range])
    case .state(let state): return state.text(in: UTF16Range(range)).units
    }
  }

  /// The comparable units of a text, in parts.
  private struct Parts {
    /// UTF-16 units of the text that are read at a time.
    private static let length = 1 << 16

    let text: ComparableText
    private var offset = 0
    private(set) var part: ArraySlice<UInt16> = []

    init(_ text: ComparableText) { self.text = text }

    /// Removes the first `count` units of `part`.
    mutating func removeFirst(_ count: Int) { part = part.dropFirst(count) }

    /// Reads the next part if `part` is empty. It is still empty at the end of the text.
    mutating func fill() {
      let count = text.count
      while part.isEmpty, offset < count {
        let end = min(offset + Self.length, count)
        // One more unit shows if a line feed follows.
        let units = text.units(in: offset..<min(end + 1, count))
        var kept: [UInt16] = []
        kept.reserveCapacity(units.count)
        for index in 0..<end - offset {
          let unit = units[index]
          let isLast = offset + index == count - 1
          switch unit {
          case 0x0A where isLast: break
          case 0x0D where !isLast && units[index + 1] == 0x0A: break
          case 0xFEFF where offset + index == 0: break
          default: kept.append(unit)
          }
        }
        offset = end
        part = kept[...]
      }
    }
  }
}

extension ComparableText: Hashable {
  /// O(n).
  package static func == (left: Self, right: Self) -> Bool {
    var (left, right) = (Parts(left), Parts(right))
    while true {
      left.fill()
      right.fill()
      let count = min(left.part.count, right.part.count)
      guard count > 0 else { return left.part.isEmpty && right.part.isEmpty }
      guard left.part.prefix(count).elementsEqual(right.part.prefix(count)) else { return false }
      left.removeFirst(count)
      right.removeFirst(count)
    }
  }

  /// Feeds the first units to `hasher`.
  package func hash(into hasher: inout Hasher) {
    var parts = Parts(self)
    parts.fill()
    for unit in parts.part.prefix(1 << 10) { hasher.combine(unit) }
  }
}

extension UTF16Text {
  /// Bytes that are decoded at a time.
  private static let decodedSize = 1 << 16

  /// The text of these bytes. Returns nil if they are not UTF-8. ASCII is not copied; other text is
  /// decoded in parts.
  init?(utf8 bytes: [UInt8]) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.init(latin1: bytes)
      return
    }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while !rest.isEmpty {
      var end = min(rest.startIndex + Self.decodedSize, rest.endIndex)
      // A part does not end within a character.
      while end < rest.endIndex, end > rest.startIndex, rest[end] & 0xC0 == 0x80 { end -= 1 }
      guard end > rest.startIndex, let part = String(validating: rest[..<end], as: UTF8.self)
      else { return nil }
      units.append(contentsOf: part.utf16)
      rest = rest[end...]
    }
    self.init(compacting: units)
  }
}
