import EditModel
import TextState

/// The paragraphs that undos and redos brought back, and the removed ones that they continue.
///
/// An identifier is never given twice, so what an undo brings back is a new paragraph. It is the revival
/// of a removed one that had the same bounds: the unit before it, and its terminator. Units are those of
/// `Provenance`, so it does not matter what was typed in between, or in how many edits the paragraph went. If
/// several removed paragraphs began or ended there, it is the one removed last. A removed paragraph has at
/// most one revival.
///
/// One bound is enough. If the undo leads to a version that was there before, it is the first one: a
/// paragraph that is joined to others keeps it. Only a paragraph that this version has counts, or a revival
/// of one. Otherwise it is the terminator, because what was typed and removed at the
/// same place later began after the same unit.
struct ParagraphRevivals: Hashable, Sendable {
  /// The units that bound a paragraph.
  struct Bounds: Hashable, Sendable {
    /// The unit before its first one; -1 at the start of the text.
    var before: Int?
    /// Its terminator; nil at the end of the text.
    var terminator: Int?
  }

  /// A removed paragraph.
  struct Grave: Hashable, Sendable {
    var id: ParagraphID
    /// The edit that removed it.
    var death: SequenceNumber

    /// True if the version has the paragraph.
    func lives(at version: SequenceNumber) -> Bool { id.sequence <= version && version < death }
  }

  /// The removed paragraphs by their terminator, and by the unit before them.
  private(set) var ended: [Int: Grave] = [:]
  private(set) var begun: [Int: Grave] = [:]
  /// The removed paragraphs by their revival.
  private(set) var sources: [ParagraphID: Grave] = [:]
  /// The revivals by the removed paragraph.
  private(set) var successors: [ParagraphID: ParagraphID] = [:]
  /// The first paragraph of each chain of revivals, by a later one.
  private var origins: [ParagraphID: ParagraphID] = [:]
  /// The removed paragraphs of each chain, by its first one, in order.
  private var chains: [ParagraphID: [Grave]] = [:]

  /// Notes a removed paragraph. O(1).
  mutating func bury(_ grave: Grave, _ bounds: Bounds) {
    if let terminator = bounds.terminator { ended[terminator] = grave }
    if let before = bounds.before { begun[before] = grave }
  }

  /// Notes a paragraph that an undo or a redo made, which leads to the version `target`; nil if it leads
  /// to a new one. O(log revivals of the paragraph).
  mutating func bear(_ id: ParagraphID, _ bounds: Bounds, to target: SequenceNumber?) {
    let last = bounds.terminator.flatMap { ended[$0] }
    let first = bounds.before.flatMap { begun[$0] }
    for case .some(let source) in target == nil ? [last, first] : [first, last]
    where successors[source.id] == nil && source.id < id
      && target.map({ lived(source, at: $0) }) ?? true
    {
      return link(id, to: source)
    }
  }

  /// True if the version has the paragraph, or one of which it is a revival.
  private func lived(_ grave: Grave, at version: SequenceNumber) -> Bool {
    if grave.id.sequence <= version { return grave.lives(at: version) }
    guard let origin = origins[grave.id], let chain = chains[origin] else { return false }
    let index = chain.partitionPoint { $0.id.sequence <= version }
    return index > 0 && chain[index - 1].lives(at: version)
  }

  private mutating func link(_ id: ParagraphID, to source: Grave) {
    let origin = origins[source.id] ?? source.id
    (sources[id], successors[source.id], origins[id]) = (source, id, origin)
    chains[origin, default: []].append(source)
  }
}

extension ParagraphRevivals: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    for units in [ended, begun] {
      encoder.encode(unsigned: UInt64(units.count))
      var last = -1
      for (unit, grave) in units.sorted(by: { $0.key < $1.key }) {
        (unit - last).encode(to: &encoder)
        grave.encode(to: &encoder)
        last = unit
      }
    }
    encoder.encode(unsigned: UInt64(sources.count))
    for (id, source) in sources.sorted(by: { $0.key < $1.key }) {
      id.encode(to: &encoder)
      source.encode(to: &encoder)
    }
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init()
    ended = try Self.units(from: &decoder)
    begun = try Self.units(from: &decoder)
    var last: ParagraphID?
    for _ in 0..<(try decoder.decodeFollowingCount()) {
      let (id, source) = (try ParagraphID(from: &decoder), try Grave(from: &decoder))
      guard source.id < id, last.map({ $0 < id }) ?? true, successors[source.id] == nil else {
        throw decoder.error("a paragraph is brought back twice")
      }
      link(id, to: source)
      last = id
    }
  }

  private static func units(
    from decoder: inout ValueDecoder
  ) throws(StoredValueError) -> [Int: Grave] {
    var (units, last) = ([Int: Grave](), -1)
    for index in 0..<(try decoder.decodeFollowingCount()) {
      let step = try decoder.decodeCount()
      let unit = last.addingReportingOverflow(step)
      guard !unit.overflow, step > 0 || index == 0 else {
        throw decoder.error("units do not ascend")
      }
      last = unit.partialValue
      units[last] = try Grave(from: &decoder)
    }
    return units
  }
}

extension ParagraphRevivals.Grave: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    id.encode(to: &encoder)
    death.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(id: try ParagraphID(from: &decoder), death: try SequenceNumber(from: &decoder))
  }
}

/// A removed paragraph, and the units that bounded it.
struct RemovedParagraph: Hashable, Sendable {
  var grave: ParagraphRevivals.Grave
  /// The offset of the unit before it, in the text before some edits; -1 at its start; nil if there was
  /// none.
  var before: Int?
  /// The offset of its terminator there; nil if there was none.
  var terminator: Int?
}

extension Provenance {
  /// The units that bound a paragraph of the text. O(log runs).
  func bounds(of range: UTF16Range) -> ParagraphRevivals.Bounds {
    // The last paragraph of a text has no terminator, and each other one has.
    ParagraphRevivals.Bounds(
      before: range.location == 0 ? -1 : unit(at: range.location - 1),
      terminator: range.upperBound < length ? unit(at: range.upperBound - 1) : nil)
  }

  /// The units that bounded a paragraph that an edit removes from the text. O(log runs).
  func bounds(of paragraph: RemovedParagraph) -> ParagraphRevivals.Bounds {
    ParagraphRevivals.Bounds(
      before: paragraph.before.flatMap { $0 == -1 ? -1 : unit(at: $0) },
      terminator: paragraph.terminator.flatMap { unit(at: $0) })
  }

  private func unit(at offset: Int) -> Int? {
    guard offset >= 0, offset < length else { return nil }
    var unit: Int?
    order.forEachVisible(in: offset..<offset + 1) { unit = $0.lowerBound }
    return unit
  }
}

extension [PlacedEdit] {
  /// The maximum number of edits passed to place removed paragraphs.
  private static var stepCountMax: Int { 1 << 27 }

  /// The paragraphs that these edits removed from the text before them. O(edits) if they go from its end
  /// to its start, else O(edits · removed paragraphs), up to a bound: those of 10,000 edits at random
  /// places are all found.
  var removedParagraphs: [RemovedParagraph] {
    var removed: [RemovedParagraph] = []
    var born = Set<ParagraphID>()
    var (lowest, stepCount) = (Int.max, 0)
    for (index, placed) in enumerated() {
      let length = placed.lengthAfter - placed.edit.action.changeInLength
      for descriptor in placed.removed where !born.contains(descriptor.id) {
        let (lower, upper) = (descriptor.range.location, descriptor.range.upperBound)
        var paragraph = RemovedParagraph(
          grave: ParagraphRevivals.Grave(id: descriptor.id, death: placed.edit.sequence),
          before: lower - 1,
          terminator: upper < length ? upper - 1 : nil)
        if upper > lowest {
          stepCount += index
          guard stepCount <= Self.stepCountMax else { return removed }
          if lower > 0 { paragraph.before = offset(lower - 1, before: index) }
          paragraph.terminator = paragraph.terminator.flatMap { offset($0, before: index) }
        }
        removed.append(paragraph)
      }
      born.formUnion(placed.inserted)
      if placed.edit.action.replacement != nil {
        lowest = Swift.min(lowest, placed.edit.action.range.location)
      }
    }
    return removed
  }

  /// The offset in the text before all edits of a unit that has this offset before the edit of this
  /// index. Nil if one of them inserted it.
  private func offset(_ offset: Int, before index: Int) -> Int? {
    var offset = offset
    for placed in self[..<index].reversed() where placed.edit.action.replacement != nil {
      let edited = placed.edit.action.editedRange
      if offset < edited.location { continue }
      if offset < edited.upperBound { return nil }
      offset -= placed.edit.action.changeInLength
    }
    return offset
  }
}
