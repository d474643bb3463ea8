package import EditModel
package import TextState

/// The text that the screen lays out: a version, with deleted text at its places if it was asked for.
///
/// The copy of the version shares all but the changed nodes with it, so it is made at the cost of the
/// deleted text that is inserted.
package struct ShownText: Sendable {
  /// Deleted text that is shown, in UTF-16 units, and stretches, at most.
  static let (deletedMax, stretchMax) = (1 << 16, 2_000)

  /// Why a range looks different.
  package enum Kind: Hashable, Sendable {
    case added, deleted
    /// A sign around added or deleted text, for screens without colours.
    case addedSign, deletedSign
  }

  /// A range that looks different, in UTF-16 units of `text`.
  package struct Stretch: Hashable, Sendable {
    /// The range.
    package var range: UTF16Range
    /// Why.
    package var kind: Kind
  }

  /// A place of a text at which a part of it is not known.
  package struct Gap: Hashable, Sendable {
    /// The place, in UTF-16 units of what is known.
    package var place: Int
    /// The length of what is not known, in UTF-16 units.
    package var length: Int

    /// A gap.
    package init(place: Int, length: Int) { (self.place, self.length) = (place, length) }
  }

  /// The text with the deleted text.
  package private(set) var text: TextState
  /// The ranges that look different, in order.
  package private(set) var stretches: [Stretch] = []
  /// Units added and deleted since the version that this one is compared with.
  package private(set) var (added, deleted) = (0, 0)
  /// True if some changes are not shown, because there are too many.
  package private(set) var isCut = false
  /// The deleted units that are in `text`.
  private var shownDeleted = 0
  /// True if the version that this one is compared with is known whole.
  private var isBaseWhole = true
  /// The inserted pieces: their places in the version, ascending, and the units inserted up to and with
  /// each.
  private var inserted: [(place: Int, total: Int)] = []
  /// The places in the other version of deleted text that is shown, in UTF-16 units, by the index of its stretch.
  private(set) var origins: [Int: Int] = [:]

  /// The sign of deleted text that is not shown.
  private static let more = "…"

  /// A version as it is.
  package init(_ text: TextState) { self.text = text }

  /// A version compared with another one.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - base: The version that it is compared with.
  ///   - showsDeleted: True if deleted text is shown.
  ///   - hasSigns: True if signs are put around added and deleted text.
  ///   - gap: A place of `base` at which some of its text is missing; nil if all is there.
  package init(
    _ version: TextState, since base: TextState, showsDeleted: Bool, hasSigns: Bool,
    gap: Gap? = nil
  ) {
    (text, isBaseWhole) = (version, gap == nil)
    var waiting: [ChangedPart] = []
    for change in version.difference(from: base).textChanges {
      var missing = 0
      if let gap, change.oldRange.location <= gap.place, gap.place <= change.oldRange.upperBound {
        missing = gap.length
      }
      added += change.newRange.length
      deleted += change.oldRange.length + missing
      if waiting.count > Self.stretchMax { continue }
      var part = ChangedPart(change, missing)
      if gap == nil {
        part.slideToWholeLines(in: version, base, after: waiting.last?.newRange.upperBound ?? -1)
      }
      part.widen(in: version, base)
      if let last = waiting.last, last.touches(part) {
        waiting[waiting.count - 1].append(part)
      } else {
        waiting.append(part)
      }
    }
    for part in waiting {
      guard !isCut, stretches.count < Self.stretchMax else {
        isCut = true
        break
      }
      append(part, base, showsDeleted: showsDeleted, hasSigns: hasSigns)
    }
    if waiting.count > Self.stretchMax { isCut = true }
  }

  private mutating func append(
    _ change: ChangedPart, _ base: TextState, showsDeleted: Bool, hasSigns: Bool
  ) {
    let missing = change.missing
    let start = change.newRange.location
    if showsDeleted, !change.oldRange.isEmpty {
      if hasSigns { insert(UTF16Text("[-"), at: start, .deletedSign) }
      // One more unit is read, to see whether the cut would split a surrogate pair.
      let limit = Self.deletedMax - shownDeleted
      let end = min(change.oldRange.upperBound, change.oldRange.location + limit + 1)
      let piece = base.text(in: UTF16Range(change.oldRange.location..<end)).prefix(limit)
      if !piece.isEmpty {
        // Of a version that is not known whole, no place is sure.
        if isBaseWhole { origins[stretches.count] = change.oldRange.location }
        insert(piece, at: start, .deleted)
      }
      shownDeleted += piece.count
      let rest = change.oldRange.length - piece.count + missing
      if rest > 0 {
        insert(UTF16Text("\(Self.more) \(rest.grouped) more units"), at: start, .deletedSign)
      }
      if hasSigns { insert(UTF16Text("-]"), at: start, .deletedSign) }
    }
    guard !change.newRange.isEmpty else { return }
    let signs = hasSigns && showsDeleted
    if signs { insert(UTF16Text("{+"), at: start, .addedSign) }
    let lower = offset(of: start)
    stretches.append(
      Stretch(range: UTF16Range(lower..<lower + change.newRange.length), kind: .added))
    if signs { insert(UTF16Text("+}"), at: change.newRange.upperBound, .addedSign) }
  }

  private mutating func insert(_ piece: UTF16Text, at place: Int, _ kind: Kind) {
    let lower = offset(of: place)
    do throws(EditError) {
      try text.advance(by: EditAction(replacing: UTF16Range(lower..<lower), with: piece))
    } catch {
      isCut = true
      return
    }
    inserted.append((place, (inserted.last?.total ?? 0) + piece.count))
    stretches.append(Stretch(range: UTF16Range(lower..<lower + piece.count), kind: kind))
  }

  /// The offset in `text` of an offset in the version: after pieces that are inserted there. O(log n).
  package func offset(of place: Int) -> Int {
    let index = inserted.partitionPoint { $0.place <= place }
    return place + (index == 0 ? 0 : inserted[index - 1].total)
  }

  /// The offset in the version of an offset in `text`: the place of a piece, for the units of the
  /// piece. O(log n).
  package func place(of offset: Int) -> Int {
    // Pieces end at ascending offsets.
    let index = inserted.partitionPoint { $0.place + $0.total <= offset }
    let before = index == 0 ? 0 : inserted[index - 1].total
    guard index < inserted.count else { return offset - before }
    return min(offset - before, inserted[index].place)
  }

  /// The units that are inserted at an offset in the version. O(log n).
  func insertedLength(at place: Int) -> Int {
    let index = inserted.partitionPoint { $0.place < place }
    return offset(of: place) - place - (index == 0 ? 0 : inserted[index - 1].total)
  }

  /// The index of the first stretch that ends after an offset. O(log n).
  func firstStretch(after offset: Int) -> Int {
    stretches.partitionPoint { $0.range.upperBound <= offset }
  }
}
