import EditModel

extension StateComparison {
  /// The replacements in order, in UTF-16 units. No edge is inside a surrogate pair or a CR LF.
  func textHunks() -> [Hunk] {
    var work = TextDifference.workMax
    var hunks: [Hunk] = []
    for stretch in textStretches {
      if let hunk = plainHunk(in: stretch) {
        hunks.append(hunk)
        continue
      }
      visits += stretch.old.count + stretch.new.count
      let before = old.units.elements(in: stretch.old)
      let after = new.units.elements(in: stretch.new)
      hunks += TextDifference.unitHunks(before, after, &work).map {
        $0.moved(old: stretch.old.lowerBound, new: stretch.new.lowerBound)
      }
    }
    return TextDifference.wholeCharacters(
      hunks, oldSplits: { old.splits(at: $0) }, newSplits: { new.splits(at: $0) })
  }

  /// The hunk in a stretch that is much longer on one side, if the shorter side equals both ends of
  /// the longer one: the part between these ends, which need not be read. Nil for other stretches.
  private func plainHunk(in stretch: Hunk) -> Hunk? {
    let count = min(stretch.old.count, stretch.new.count)
    guard stretch.size / 8 > count else { return nil }
    visits += 4 * count
    let (oldHead, newHead) = (stretch.old.prefix(count), stretch.new.prefix(count))
    let head = zip(old.units.elements(in: oldHead), new.units.elements(in: newHead))
      .prefix { $0 == $1 }.count
    let (oldTail, newTail) = (stretch.old.suffix(count - head), stretch.new.suffix(count - head))
    guard old.units.elements(in: oldTail) == new.units.elements(in: newTail) else { return nil }
    return Hunk(
      old: oldHead.lowerBound + head..<oldTail.lowerBound,
      new: newHead.lowerBound + head..<newTail.lowerBound)
  }

  /// The ranges of the new text outside of `hunks` whose attributes differ.
  func attributeChanges(outside hunks: [Hunk]) -> [Range<Int>] {
    var changes: [Range<Int>] = []
    var end = (old: 0, new: 0)
    for hunk in hunks + [Hunk(old: old.length..<old.length, new: new.length..<new.length)] {
      let span = AlignedSpan(new: end.new..<hunk.new.lowerBound, shift: end.new - end.old)
      // Ranges on both sides of a hunk are not joined.
      var part: Range<Int>?
      forEachRunChange(in: span) { change in
        if let known = part, known.upperBound == change.lowerBound {
          part = known.lowerBound..<change.upperBound
        } else {
          if let part { changes.append(part) }
          part = change
        }
      }
      if let part { changes.append(part) }
      end = (hunk.old.upperBound, hunk.new.upperBound)
    }
    return changes
  }
}
