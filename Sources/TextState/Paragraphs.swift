public import EditModel

extension TextState {
  /// Paragraphs of one version, in order. O(paragraphs) to walk, O(log n) for the one at an
  /// index, which counts from the version's first paragraph.
  public struct Paragraphs: RandomAccessCollection, Sendable {
    let records: GapTree<ParagraphRecord>
    let bounds: Range<Int>

    /// The index of the first, in its version.
    public var startIndex: Int { bounds.lowerBound }
    /// The index behind the last, in its version.
    public var endIndex: Int { bounds.upperBound }

    /// The paragraph at `index`. O(log n).
    public subscript(index: Int) -> ParagraphDescriptor {
      precondition(bounds.contains(index))
      let start = records.position(at: index).measure.units
      let record = records[index]
      return ParagraphDescriptor(id: record.id, range: UTF16Range(start..<start + record.length))
    }

    /// A walk from the first.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// A walk over paragraphs.
    public struct Iterator: IteratorProtocol, Sendable {
      private var records: TreeReader<ParagraphRecord>
      private var index: Int
      private let end: Int
      private var start: Int

      fileprivate init(_ paragraphs: Paragraphs) {
        records = TreeReader(paragraphs.records)
        (index, end) = (paragraphs.startIndex, paragraphs.endIndex)
        start = paragraphs.records.position(at: index).measure.units
      }

      /// The next paragraph, nil behind the last.
      public mutating func next() -> ParagraphDescriptor? {
        guard index < end else { return nil }
        let record = records[index]
        defer { (index, start) = (index + 1, start + record.length) }
        return ParagraphDescriptor(
          id: record.id, range: UTF16Range(start..<start + record.length))
      }
    }
  }
}
