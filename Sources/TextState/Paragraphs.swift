public import EditModel

extension TextState {
  /// Paragraphs of one version, in order. O(paragraphs) to walk, by `for`, `map`, `filter` or
  /// whatever else iterates; O(log n) for the one at an index, which counts from the version's
  /// first paragraph.
  public struct Paragraphs: RandomAccessCollection, Sendable {
    let version: StateCore
    let bounds: Range<Int>

    /// The index of the first, in its version.
    public var startIndex: Int { bounds.lowerBound }
    /// The index after the last, in its version.
    public var endIndex: Int { bounds.upperBound }

    /// The paragraph at `index`. O(log n).
    public subscript(index: Int) -> ParagraphDescriptor {
      precondition(bounds.contains(index))
      return version.descriptor(at: version.place(ofParagraph: index))
    }

    /// The paragraphs at `indices`, which must lie inside the bounds. O(1).
    public subscript(indices: Range<Int>) -> Paragraphs {
      precondition(indices.lowerBound >= startIndex && indices.upperBound <= endIndex)
      return Paragraphs(version: version, bounds: indices)
    }

    /// What `transform` makes of each, in order. O(paragraphs): a collection's own `map` would
    /// look each of them up.
    public func map<Result, Failure: Error>(
      _ transform: (ParagraphDescriptor) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
      var results: [Result] = []
      results.reserveCapacity(count)
      for paragraph in self { results.append(try transform(paragraph)) }
      return results
    }

    /// A walk from the first.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// A walk over paragraphs.
    public struct Iterator: IteratorProtocol, Sendable {
      private let version: StateCore
      private var reader = TreeReader<ParagraphRecord>()
      private var index: Int
      private let end: Int
      private var start: Int

      fileprivate init(_ paragraphs: Paragraphs) {
        version = paragraphs.version
        (index, end) = (paragraphs.startIndex, paragraphs.endIndex)
        start = version.place(ofParagraph: index).start
      }

      /// The next paragraph; nil after the last.
      public mutating func next() -> ParagraphDescriptor? {
        guard index < end else { return nil }
        let record = reader.element(at: index, of: version.paragraphRecords)
        defer { (index, start) = (index + 1, start + record.length) }
        return ParagraphDescriptor(
          id: record.id, range: UTF16Range(start..<start + record.length))
      }
    }
  }
}
