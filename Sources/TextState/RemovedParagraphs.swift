import EditModel

/// Removed paragraphs, read from the version before: nothing is copied, however many there are.
/// Their events come highest index first, and are counted in that order: by rank, from 0.
struct RemovedParagraphs: Sendable {
  /// Up to this many paragraphs, the events are made at once and the version is released.
  static var eagerCountMax: Int { 16 }

  /// Paragraphs that followed one another.
  private struct Part {
    let indices: Range<Int>
    /// The rank of the last of them, which comes first.
    let rank: Int
  }

  private let version: StateCore
  /// Highest first.
  private let parts: [Part]
  /// The paragraphs that the remaining text of removed ones became part of, by the index of these.
  private let targets: [Int: ParagraphID]
  /// The number of removed paragraphs.
  let count: Int

  /// The paragraphs of `version` in `ranges`, which ascend. `targets` are the paragraphs that the
  /// remaining text of some became part of, by the index of these.
  init(_ ranges: [Range<Int>], of version: StateCore, targets: [Int: ParagraphID]) {
    (self.version, self.targets) = (version, targets)
    var (parts, rank): ([Part], Int) = ([], 0)
    for indices in ranges.reversed() {
      parts.append(Part(indices: indices, rank: rank))
      rank += indices.count
    }
    (self.parts, count) = (parts, rank)
  }

  /// Consecutive paragraphs. The remaining text of the last may have become part of another.
  init(_ indices: Range<Int>, of version: StateCore, lastIsMergedInto: ParagraphID?) {
    let targets = lastIsMergedInto.map { [indices.upperBound - 1: $0] }
    self.init([indices], of: version, targets: targets ?? [:])
  }

  /// The paragraphs that the remaining text of removed ones became part of, in no order.
  var links: [(from: ParagraphID, to: ParagraphID)] {
    targets.map { (version.paragraphRecords[$0.key].id, $0.value) }
  }

  /// The event of this rank. O(log n).
  subscript(rank: Int) -> ParagraphEvent {
    let part = parts[parts.partitionPoint { $0.rank <= rank } - 1]
    let index = part.indices.upperBound - 1 - (rank - part.rank)
    return event(
      version.paragraphRecords[index], at: index,
      start: version.paragraphRecords.position(at: index).measure.units)
  }

  private func event(_ record: ParagraphRecord, at index: Int, start: Int) -> ParagraphEvent {
    .removed(
      index: index,
      descriptor: ParagraphDescriptor(
        id: record.id, range: UTF16Range(start..<start + record.length)),
      mergedInto: targets.isEmpty ? nil : targets[index])
  }

  /// The events in order.
  struct Iterator: IteratorProtocol, Sequence {
    private let removed: RemovedParagraphs
    private var reader = TreeReader<ParagraphRecord>()
    private var part = -1
    private var index = 0
    private var start = 0

    init(_ removed: RemovedParagraphs) { self.removed = removed }

    mutating func next() -> ParagraphEvent? {
      if part < 0 || index == removed.parts[part].indices.lowerBound {
        guard part + 1 < removed.parts.count else { return nil }
        part += 1
        index = removed.parts[part].indices.upperBound
        start = removed.version.paragraphRecords.position(at: index).measure.units
      }
      index -= 1
      let record = reader.element(at: index, of: removed.version.paragraphRecords)
      start -= record.length
      return removed.event(record, at: index, start: start)
    }
  }
}
