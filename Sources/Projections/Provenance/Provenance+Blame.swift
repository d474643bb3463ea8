public import EditModel
import TextState

/// A piece of a text that one edit wrote.
public struct BlamePiece: Hashable, Sendable {
  /// The range, in UTF-16 units of the text.
  public var range: UTF16Range
  /// The edit.
  public var sequence: SequenceNumber

  /// A piece.
  package init(range: UTF16Range, sequence: SequenceNumber) {
    (self.range, self.sequence) = (range, sequence)
  }
}

/// Which edit counts as the writer of a unit.
public enum BlameRule: Hashable, Sendable {
  /// The edit that inserted it first. Text that is cut and pasted (`TextMoveRule`) keeps its writer, and
  /// so does text that an undo or a redo brings back.
  case firstWriter
  /// The edit that inserted it last: the paste, or the edit of the undo or redo that brought it back.
  case lastWriter
}

/// What became of a piece of an old version.
public struct UnitFate: Hashable, Sendable {
  /// The range, in UTF-16 units of the old version.
  public var range: UTF16Range
  /// Where it is now, in UTF-16 units of the text; nil if it is gone.
  public var location: Int?
  /// The edit that took it away last: a deletion, or of an undo or redo the last edit that changed its
  /// place; nil if it is there.
  public var removal: SequenceNumber?

  /// What became of a piece.
  package init(range: UTF16Range, location: Int? = nil, removal: SequenceNumber? = nil) {
    (self.range, self.location, self.removal) = (range, location, removal)
  }
}

extension Provenance {
  /// The pieces of a range of the text, in order, each with its writer. Neighbours have different
  /// writers. O(log runs + runs in the range + pieces), and O(flips · log flips) for the last writer.
  public func blame(_ range: UTF16Range, by rule: BlameRule = .firstWriter) -> [BlamePiece] {
    var pieces: [BlamePiece] = []
    var location = range.location
    func append(_ length: Int, _ sequence: SequenceNumber) {
      if let last = pieces.last, last.sequence == sequence {
        pieces[pieces.count - 1].range = UTF16Range(last.range.location..<location + length)
      } else {
        pieces.append(
          BlamePiece(range: UTF16Range(location..<location + length), sequence: sequence))
      }
      location += length
    }
    let shown = rule == .lastWriter ? flips.lastShown() : []
    order.forEachVisible(in: range.bounds) { units in
      switch rule {
      case .firstWriter:
        moves.forEachOrigin(of: units) { part, first in
          insertions.forEachEdit(of: first..<first + part.count) { append($0.count, $1) }
        }
      case .lastWriter:
        forEachPart(of: units, in: shown) { part, sequence in
          if let sequence { return append(part.count, sequence) }
          insertions.forEachEdit(of: part) { append($0.count, $1) }
        }
      }
    }
    return pieces
  }

  /// What became of the text of `older`, an earlier version of the same history: pieces in order, which
  /// cover it. Neighbours differ. O(runs of both · log runs).
  public func fates(of older: Provenance) -> [UnitFate] {
    var places: [(units: Range<Int>, location: Int)] = []
    var location = 0
    order.forEachRun { units, isVisible in
      guard isVisible else { return }
      places.append((units, location))
      location += units.count
    }
    places.sort { $0.units.lowerBound < $1.units.lowerBound }
    let (hidden, deleters) = (flips.lastHidden(), deleters)
    var fates: [UnitFate] = []
    var start = 0
    func append(_ length: Int, at place: Int?, removal: SequenceNumber?) {
      defer { start += length }
      if let last = fates.last, last.removal == removal,
        place == last.location.map({ $0 + last.range.length })
      {
        fates[fates.count - 1].range = UTF16Range(last.range.location..<start + length)
      } else {
        fates.append(
          UnitFate(range: UTF16Range(start..<start + length), location: place, removal: removal))
      }
    }
    older.order.forEachVisible(in: 0..<older.length) { units in
      var index = places.partitionPoint { $0.units.upperBound <= units.lowerBound }
      var next = units.lowerBound
      while next < units.upperBound {
        let place = index < places.count ? places[index] : nil
        let end = min(units.upperBound, place?.units.lowerBound ?? .max)
        if next < end {
          forEachRemoval(of: next..<end, hidden, deleters) {
            append($0.count, at: nil, removal: $1)
          }
        }
        next = max(next, end)
        guard let place, next < units.upperBound else { continue }
        let part = next..<min(units.upperBound, place.units.upperBound)
        append(
          part.count, at: place.location + part.lowerBound - place.units.lowerBound, removal: nil)
        next = part.upperBound
        index += 1
      }
    }
    return fates
  }

  /// Where a range of `older`, an earlier version of the same history, stands now: from its first unit to
  /// its last one, dead or not. The range must not be empty. O(runs).
  public func range(of range: UTF16Range, in older: Provenance) -> UTF16Range {
    var (first, last): (Int?, Int) = (nil, 0)
    older.order.forEachVisible(in: range.bounds) { units in
      first = first ?? units.lowerBound
      last = units.upperBound - 1
    }
    var (lower, upper, location) = (0, 0, 0)
    order.forEachRun { units, isVisible in
      if let first, units.contains(first) {
        lower = location + (isVisible ? first - units.lowerBound : 0)
      }
      if units.contains(last) {
        upper = location + (isVisible ? last - units.lowerBound + 1 : 0)
      }
      if isVisible { location += units.count }
    }
    return UTF16Range(lower..<max(lower, upper))
  }

  /// Calls `body` with parts of some dead units in order, and the edit that took each away last.
  private func forEachRemoval(
    of units: Range<Int>, _ hidden: [(units: Range<Int>, sequence: SequenceNumber)],
    _ deleters: UnitDeletions, _ body: (Range<Int>, SequenceNumber?) -> Void
  ) {
    // The last deletion of each unit.
    var removals = [SequenceNumber](repeating: 0, count: units.count)
    deleters.forEach(in: units) { part, sequence, step in
      for unit in part {
        let deleter = Int64(sequence) + Int64(step) * Int64(unit - part.lowerBound)
        let index = unit - units.lowerBound
        removals[index] = max(removals[index], SequenceNumber(deleter))
      }
    }
    forEachPart(of: units, in: hidden) { part, sequence in
      guard let sequence else { return }
      for unit in part {
        removals[unit - units.lowerBound] = max(removals[unit - units.lowerBound], sequence)
      }
    }
    var next = 0
    while next < removals.count {
      let end = removals[next...].firstIndex { $0 != removals[next] } ?? removals.count
      let sequence = removals[next] == 0 ? nil : removals[next]
      body(units.lowerBound + next..<units.lowerBound + end, sequence)
      next = end
    }
  }

  /// Calls `body` with parts of a range of units in order, and the value that a list by ascending units
  /// has for them.
  private func forEachPart(
    of units: Range<Int>, in list: [(units: Range<Int>, sequence: SequenceNumber)],
    _ body: (Range<Int>, SequenceNumber?) -> Void
  ) {
    var index = list.partitionPoint { $0.units.upperBound <= units.lowerBound }
    var next = units.lowerBound
    while next < units.upperBound {
      guard index < list.count, list[index].units.lowerBound < units.upperBound else {
        return body(next..<units.upperBound, nil)
      }
      let item = list[index].units.clamped(to: units)
      if next < item.lowerBound { body(next..<item.lowerBound, nil) }
      body(item, list[index].sequence)
      next = item.upperBound
      index += 1
    }
  }
}
