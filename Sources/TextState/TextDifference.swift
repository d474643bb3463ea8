public import EditModel

/// The difference of two texts: first by lines (Myers, "An O(ND) difference algorithm", 1986, in
/// its linear-space form, or by unique common lines if that would take too long), then by units
/// inside the lines that differ.
///
/// The work is limited: beyond the limit the result is coarser, but never wrong.
public enum TextDifference {
  /// The edits that turn `old` into `new`, in order of place. Each refers to the text after the one
  /// before it. No edit begins or ends inside a surrogate pair or a CR LF. One that may remove or insert whole
  /// lines, or as well the same units from inside a line on, removes or inserts whole lines.
  ///
  /// O(length), plus a limited number of steps for the difference.
  public static func replacements(from old: UTF16Text, to new: UTF16Text) -> [EditAction] {
    var work = workMax
    var change = 0
    let newUnits = new.units
    return hunks(old.units, newUnits, &work).map { hunk in
      let range = UTF16Range(hunk.old.lowerBound + change..<hunk.old.upperBound + change)
      change += hunk.new.count - hunk.old.count
      return EditAction(replacing: range, with: UTF16Text(units: Array(newUnits[hunk.new])))
    }
  }

  /// The maximum number of elements that are read before the result becomes coarser: some tenths of
  /// a second.
  static let workMax = 1 << 24

  /// The hunks, in UTF-16 units. No edge is inside a surrogate pair or a CR LF.
  static func hunks(_ old: [UInt16], _ new: [UInt16], _ work: inout Int) -> [Hunk] {
    wholeCharacters(
      wholeLines(unitHunks(old, new, &work), old, new), oldSplits: { old.splits(at: $0) },
      newSplits: { new.splits(at: $0) })
  }

  /// Moves each hunk that only removes or only inserts back to the start of its line, if it is then whole lines: of
  /// `The bees.\nThe cats.\n`, the first line is removed, and not `bees.\nThe `. So the paragraph after it stays the
  /// same paragraph. O(lengths of the hunks and of the lines that they begin in).
  private static func wholeLines(_ hunks: [Hunk], _ old: [UInt16], _ new: [UInt16]) -> [Hunk] {
    var result: [Hunk] = []
    for hunk in hunks {
      // Between two hunks is a unit at least.
      let most = result.last.map { hunk.old.lowerBound - $0.old.upperBound - 1 } ?? .max
      let distance =
        hunk.new.isEmpty
        ? old.distanceToWholeLines(hunk.old, most: most)
        : hunk.old.isEmpty ? new.distanceToWholeLines(hunk.new, most: most) : nil
      result.append(distance.map { hunk.moved(old: -$0, new: -$0) } ?? hunk)
    }
    return result
  }

  /// The hunks, in UTF-16 units, with edges at any unit.
  static func unitHunks(_ old: [UInt16], _ new: [UInt16], _ work: inout Int) -> [Hunk] {
    var middle = Hunk(old: 0..<old.count, new: 0..<new.count)
    middle.trim(old, new)
    guard !middle.old.isEmpty, !middle.new.isEmpty else {
      return middle.isEmpty ? [] : [middle]
    }
    middle.widenToLines(old, new)
    let (oldLines, newLines) = (Lines(old, in: middle.old), Lines(new, in: middle.new))
    var result: [Hunk] = []
    for hunk in lineHunks(oldLines, newLines, &work) {
      let box = Hunk(old: oldLines.units(of: hunk.old), new: newLines.units(of: hunk.new))
      var units = SequenceDifference(old, new, depthMax: 96, work: work)
      units.compare(box)
      work = units.work
      for hunk in joinedAcrossChance(units.hunks) { result.appendJoining(hunk) }
    }
    return result
  }

  /// Joins neighbouring hunks with only little equal text between them: letters that two words have
  /// in common by chance mean nothing to a reader.
  private static func joinedAcrossChance(_ hunks: [Hunk]) -> [Hunk] {
    var result: [Hunk] = []
    for hunk in hunks {
      var hunk = hunk
      while let last = result.last,
        hunk.old.lowerBound - last.old.upperBound <= min(last.size, hunk.size)
      {
        hunk = last.joined(hunk)
        result.removeLast()
      }
      result.append(hunk)
    }
    return result
  }

  /// Widens hunks whose edges would split a surrogate pair or a CR LF, in either text. The unit
  /// that an edge moves over is one that the texts share.
  static func wholeCharacters(
    _ hunks: [Hunk], oldSplits: (Int) -> Bool, newSplits: (Int) -> Bool
  ) -> [Hunk] {
    var result: [Hunk] = []
    for var hunk in hunks {
      if oldSplits(hunk.old.lowerBound) || newSplits(hunk.new.lowerBound) {
        hunk.old = hunk.old.lowerBound - 1..<hunk.old.upperBound
        hunk.new = hunk.new.lowerBound - 1..<hunk.new.upperBound
      }
      if oldSplits(hunk.old.upperBound) || newSplits(hunk.new.upperBound) {
        hunk.old = hunk.old.lowerBound..<hunk.old.upperBound + 1
        hunk.new = hunk.new.lowerBound..<hunk.new.upperBound + 1
      }
      result.appendJoining(hunk)
    }
    return result
  }
}

extension [UInt16] {
  /// True if `offset` lies inside a surrogate pair or a CR LF.
  fileprivate func splits(at offset: Int) -> Bool {
    guard offset > 0, offset < count else { return false }
    return self[offset].continues(self[offset - 1])
  }
}

extension [UInt16] {
  /// By how many units the range can be moved back, so that it is whole lines, and without it the text stays the same.
  /// Nil if it cannot, by `most` units at most, or is whole lines already.
  fileprivate func distanceToWholeLines(_ range: Range<Int>, most: Int) -> Int? {
    guard self[range].contains(.lineFeed) else { return nil }
    var (start, end) = (range.lowerBound, range.upperBound)
    while start > 0, self[start - 1] != .lineFeed {
      guard self[start - 1] == self[end - 1] else { return nil }
      (start, end) = (start - 1, end - 1)
    }
    let distance = range.lowerBound - start
    return self[end - 1] == .lineFeed && distance > 0 && distance <= most ? distance : nil
  }
}

extension StateCore {
  /// True if `offset` lies inside a surrogate pair or a CR LF.
  func splits(at offset: Int) -> Bool {
    guard offset > 0, offset < length else { return false }
    return units[offset].continues(units[offset - 1])
  }
}

extension UInt16 {
  /// True if this unit and the one before it are a surrogate pair or a CR LF.
  fileprivate func continues(_ before: UInt16) -> Bool {
    before == .carriageReturn && self == .lineFeed
      || UTF16.isLeadSurrogate(before) && UTF16.isTrailSurrogate(self)
  }
}
