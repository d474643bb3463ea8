/// A range of the new text and one of the old text with the same length, to be compared by units.
struct AlignedSpan: Equatable {
  /// In UTF-16 units of the new text.
  var new: Range<Int>
  /// Its offset in the new text minus that in the old one.
  let shift: Int

  /// In UTF-16 units of the old text.
  var old: Range<Int> { new.lowerBound - shift..<new.upperBound - shift }

  /// The parts of the span that must be compared: those inside a stretch that is not shared, and
  /// those that are shared with another place of the old text. O(log n + stretches in the span).
  func inDoubt(_ stretches: [Hunk]) -> [AlignedSpan] {
    var parts: [AlignedSpan] = []
    var lower = new.lowerBound
    func add(upTo upper: Int) {
      if lower < upper { parts.append(AlignedSpan(new: lower..<upper, shift: shift)) }
    }
    var index = stretches.firstIndex(endingAfter: lower)
    while lower < new.upperBound {
      // The shared part before the stretch at `index`.
      let before = index > 0 ? stretches[index - 1] : Hunk(old: 0..<0, new: 0..<0)
      let end = index < stretches.count ? stretches[index].new.lowerBound : new.upperBound
      if before.new.upperBound - before.old.upperBound == shift {
        add(upTo: min(before.new.upperBound, new.upperBound))
        lower = max(lower, min(end, new.upperBound))
      }
      guard end < new.upperBound else { break }
      index += 1
    }
    add(upTo: new.upperBound)
    return parts
  }
}

extension [AlignedSpan] {
  /// Adds a span, or lengthens the last one if the span continues it on both sides.
  mutating func appendJoining(_ span: AlignedSpan) {
    if span.new.isEmpty { return }
    if let last, last.shift == span.shift, last.new.upperBound == span.new.lowerBound {
      self[count - 1].new = last.new.lowerBound..<span.new.upperBound
    } else {
      append(span)
    }
  }
}

extension [Hunk] {
  /// The first hunk whose new range ends after `offset`. O(log n).
  fileprivate func firstIndex(endingAfter offset: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].new.upperBound > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
