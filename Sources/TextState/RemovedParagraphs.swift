import EditModel

/// Paragraphs that an edit removed, read from the version before it: nothing is copied, however
/// many they are.
struct RemovedParagraphs: Sendable {
  /// Paragraphs up to which their events are made at once, and the version let go of.
  static var eagerCountMax: Int { 16 }

  private let version: StateCore
  /// Their indices in the version before.
  let indices: Range<Int>
  /// The paragraph that took in what was left of the last one's text.
  private let lastIsMergedInto: ParagraphID?

  init(_ indices: Range<Int>, of version: StateCore, lastIsMergedInto: ParagraphID?) {
    (self.version, self.indices) = (version, indices)
    self.lastIsMergedInto = lastIsMergedInto
  }

  /// The event of the paragraph that was at `index`. O(log n).
  subscript(index: Int) -> ParagraphEvent {
    event(
      version.paragraphRecords[index], at: index,
      start: version.paragraphRecords.position(at: index).measure.units)
  }

  private func event(_ record: ParagraphRecord, at index: Int, start: Int) -> ParagraphEvent {
    .removed(
      index: index,
      descriptor: ParagraphDescriptor(
        id: record.id, range: UTF16Range(start..<start + record.length)),
      mergedInto: index == indices.upperBound - 1 ? lastIsMergedInto : nil)
  }

  /// The events, highest index first.
  struct Iterator: IteratorProtocol {
    private let removed: RemovedParagraphs
    private var reader = TreeReader<ParagraphRecord>()
    private var index: Int
    private var start: Int

    init(_ removed: RemovedParagraphs) {
      self.removed = removed
      index = removed.indices.upperBound
      start = removed.version.paragraphRecords.position(at: index).measure.units
    }

    mutating func next() -> ParagraphEvent? {
      guard index > removed.indices.lowerBound else { return nil }
      index -= 1
      let record = reader.element(at: index, of: removed.version.paragraphRecords)
      start -= record.length
      return removed.event(record, at: index, start: start)
    }
  }
}
