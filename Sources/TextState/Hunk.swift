/// A difference: the old elements were replaced by the new ones. One of the ranges may be empty.
struct Hunk: Hashable, Sendable {
  var old: Range<Int>
  var new: Range<Int>

  /// True if nothing differs.
  var isEmpty: Bool { old.isEmpty && new.isEmpty }

  /// The number of elements on the longer side.
  var size: Int { max(old.count, new.count) }

  /// One hunk from the start of this one to the end of a later one.
  func joined(_ later: Hunk) -> Hunk {
    Hunk(
      old: old.lowerBound..<max(old.upperBound, later.old.upperBound),
      new: new.lowerBound..<max(new.upperBound, later.new.upperBound))
  }

  /// The hunk moved by these numbers of elements.
  func moved(old: Int, new: Int) -> Hunk {
    Hunk(
      old: self.old.lowerBound + old..<self.old.upperBound + old,
      new: self.new.lowerBound + new..<self.new.upperBound + new)
  }

  /// Trims the elements that both sides have in common at the start and at the end.
  mutating func trim<Element: Equatable>(_ old: [Element], _ new: [Element]) {
    trim { old[$0] == new[$1] }
  }

  /// Trims the elements that both sides have in common at the start and at the end.
  @inline(__always)
  mutating func trim(where isEqual: (_ old: Int, _ new: Int) -> Bool) {
    var (a, b) = (self.old.lowerBound, self.new.lowerBound)
    var (endA, endB) = (self.old.upperBound, self.new.upperBound)
    while a < endA, b < endB, isEqual(a, b) { (a, b) = (a + 1, b + 1) }
    while a < endA, b < endB, isEqual(endA - 1, endB - 1) { (endA, endB) = (endA - 1, endB - 1) }
    self = Hunk(old: a..<endA, new: b..<endB)
  }

  /// Widens a trimmed hunk to whole lines of both texts. The added parts are equal on both sides,
  /// as is all text outside of hunks.
  mutating func widenToLines(_ old: [UInt16], _ new: [UInt16]) {
    var before = 0
    while before < self.old.lowerBound, old[self.old.lowerBound - before - 1] != .lineFeed {
      before += 1
    }
    let (endA, endB) = (self.old.upperBound, self.new.upperBound)
    var after = 0
    func isBetweenLines(_ text: [UInt16], _ offset: Int) -> Bool {
      offset == 0 || text[offset - 1] == .lineFeed
    }
    while endA + after < old.count,
      !isBetweenLines(old, endA + after) || !isBetweenLines(new, endB + after)
    {
      after += 1
    }
    self.old = self.old.lowerBound - before..<endA + after
    self.new = self.new.lowerBound - before..<endB + after
  }
}

extension [Hunk] {
  /// Adds a hunk, or widens the last one if they touch or overlap.
  mutating func appendJoining(_ hunk: Hunk) {
    if let last, last.old.upperBound >= hunk.old.lowerBound {
      self[count - 1] = last.joined(hunk)
    } else {
      append(hunk)
    }
  }
}
