import EditModel

/// A text of which perhaps only the beginning is known.
struct CutText: Hashable, Sendable {
  /// The units that are known, at most `knownMax`.
  private(set) var known: [UInt16]
  /// The length of the whole text in UTF-16 units.
  private(set) var count: Int

  private static let knownMax = 400

  /// The text that begins with `known` and has `count` units.
  init(_ known: some Collection<UInt16> = [], count: Int = 0) {
    self.known = Array(known.prefix(min(count, Self.knownMax)))
    self.count = count
  }

  /// True if more follows than is known.
  var isCut: Bool { known.count < count }

  /// The first units; none for a negative length.
  func prefix(_ length: Int) -> CutText { CutText(known, count: max(0, min(length, count))) }

  /// The units after the first ones; all for a negative length.
  func dropFirst(_ length: Int) -> CutText {
    let length = max(0, length)
    return CutText(known.dropFirst(length), count: max(0, count - length))
  }

  static func + (left: CutText, right: CutText) -> CutText {
    CutText(
      left.isCut ? left.known : left.known + right.known, count: left.count + right.count)
  }

  /// The text between quotation marks in at most `width` columns of the terminal.
  func quoted(width: Int?) -> String {
    Excerpt.quoted(String(UTF16Text(units: known)), isCut: isCut, width: width)
  }
}

/// One replaced range of a text, with its old and its new content.
struct Replacement: Hashable, Sendable {
  /// The start of the range, in UTF-16 units.
  var location: Int
  /// The old text.
  var removed: CutText
  /// The new text.
  var inserted: CutText

  /// Both replacements as one. `next` applies to the text after this one. Nil if they do not touch.
  func followed(by next: Replacement) -> Replacement? {
    let end = location + inserted.count
    let nextEnd = next.location + next.removed.count
    guard next.location <= end, nextEnd >= location else { return nil }
    return Replacement(
      location: min(location, next.location),
      removed: next.removed.prefix(location - next.location) + removed
        + next.removed.dropFirst(next.removed.count - max(0, nextEnd - end)),
      inserted: inserted.prefix(next.location - location) + next.inserted
        + inserted.dropFirst(max(0, nextEnd - location)))
  }
}
