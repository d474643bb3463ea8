public import EditModel

/// The difference of two texts: lines first (Myers, "An O(ND) difference algorithm", 1986, in
/// its linear-space form; unique common lines where that would take too long), then units inside
/// the lines that differ.
///
/// Work is bounded: beyond the bound the answer is coarser, never wrong.
public enum TextDifference {
  /// The edits that turn `old` into `new`, in order of place; each counts in the text that the
  /// one before has left. None begins or ends inside a surrogate pair or a CR LF.
  ///
  /// O(length), plus a bounded number of steps for what differs.
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

  /// Elements looked at before the answer becomes coarser: some tenths of a second.
  static let workMax = 1 << 24

  /// The stretches that differ, in UTF-16 units. None has an edge inside a surrogate pair or a
  /// CR LF.
  static func hunks(_ old: [UInt16], _ new: [UInt16], _ work: inout Int) -> [Hunk] {
    wholeCharacters(
      unitHunks(old, new, &work), oldSplits: { old.splits(at: $0) },
      newSplits: { new.splits(at: $0) })
  }

  /// The stretches that differ, in UTF-16 units, wherever they have their edges.
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

  /// Joins neighbours that what stays between them does not outweigh: letters that two words
  /// have in common by chance make no sense to a reader.
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
  /// True where `offset` lies inside a surrogate pair or a CR LF.
  fileprivate func splits(at offset: Int) -> Bool {
    guard offset > 0, offset < count else { return false }
    return self[offset].continues(self[offset - 1])
  }
}

extension StateCore {
  /// True where `offset` lies inside a surrogate pair or a CR LF.
  func splits(at offset: Int) -> Bool {
    guard offset > 0, offset < length else { return false }
    return units[offset].continues(units[offset - 1])
  }
}

extension UInt16 {
  /// True where this unit and the one before it are a surrogate pair or a CR LF.
  fileprivate func continues(_ before: UInt16) -> Bool {
    before == .carriageReturn && self == .lineFeed
      || UTF16.isLeadSurrogate(before) && UTF16.isTrailSurrogate(self)
  }
}
