/// What a link or a picture leads to.
struct LinkTarget: Hashable {
  let address: String
  var title: String?
}

/// The addresses that the references of a Markdown document lead to: `[label]: address "title"`.
struct LinkReferences {
  private var targets: [String: LinkTarget] = [:]

  /// The maximum length of a label, in bytes (CommonMark: 999 characters).
  static let labelSizeMax = 999
  /// The maximum number of addresses.
  private static let countMax = 1 << 16

  /// True if no reference has an address.
  var isEmpty: Bool { targets.isEmpty }

  /// The target of a label; nil if it has none.
  subscript(label: ArraySlice<UInt8>) -> LinkTarget? {
    guard !targets.isEmpty, label.count <= Self.labelSizeMax else { return nil }
    return targets[Self.key(label)]
  }

  /// Labels are the same if they differ only in case and in white space.
  private static func key(_ label: ArraySlice<UInt8>) -> String {
    let words = label.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }
    let text = String(
      decoding: Array(words.joined(separator: CollectionOfOne(0x20))), as: UTF8.self)
    return text.lowercased().uppercased()
  }

  /// The label in brackets at a place, and the place after the brackets; nil if there is none. A label
  /// has no bracket without a backslash before it. It may be empty.
  static func label(
    at start: Int, in bytes: [UInt8]
  ) -> (label: ArraySlice<UInt8>, end: Int)? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
    let limit = min(bytes.count, start + 2 + labelSizeMax)
    var place = start + 1
    while place < limit, bytes[place] != UInt8(ascii: "]") {
      if bytes[place] == UInt8(ascii: "[") { return nil }
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard place < limit else { return nil }
    return (bytes[start + 1..<place], place + 1)
  }

  /// Takes the addresses at the beginning of a paragraph. Of several with one label the first counts.
  ///
  /// - Parameter bytes: The paragraph, with an LF between lines.
  /// - Returns: The length of the addresses, in bytes.
  mutating func take(from bytes: [UInt8]) -> Int {
    var start = 0
    while start < bytes.count, let (label, target, end) = Self.definition(at: start, in: bytes) {
      let key = Self.key(label)
      if targets[key] == nil, targets.count < Self.countMax { targets[key] = target }
      start = end
    }
    return start
  }

  private static func definition(
    at start: Int, in bytes: [UInt8]
  ) -> (label: ArraySlice<UInt8>, target: LinkTarget, end: Int)? {
    guard let (label, end) = label(at: start, in: bytes), end < bytes.count,
      bytes[end] == UInt8(ascii: ":"), label.contains(where: { $0 > 0x20 }),
      // A footnote.
      label.first != UInt8(ascii: "^")
    else { return nil }
    let place = MarkdownInline.skipped(from: end + 1, bytes.count, bytes)
    guard let (address, after) = MarkdownInline.address(at: place, in: bytes), after > place else {
      return nil
    }
    let text = String(decoding: address, as: UTF8.self)
    let titleStart = MarkdownInline.skipped(from: after, bytes.count, bytes)
    if titleStart > after, let titleEnd = MarkdownInline.titleEnd(at: titleStart, in: bytes),
      let lineEnd = lineEnd(from: titleEnd, in: bytes)
    {
      let title = MarkdownInline.title(bytes[titleStart..<titleEnd])
      return (label, LinkTarget(address: text, title: title), lineEnd)
    }
    return lineEnd(from: after, in: bytes).map { (label, LinkTarget(address: text), $0) }
  }

  /// The place after the LF of a line whose rest is white space; nil if there is more on it.
  private static func lineEnd(from start: Int, in bytes: [UInt8]) -> Int? {
    var place = start
    while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
    if place == bytes.count { return place }
    return bytes[place] == 0x0A ? place + 1 : nil
  }
}
