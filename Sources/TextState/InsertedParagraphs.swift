import EditModel

/// Many paragraphs that one edit inserted next to each other, read from the version after it: nothing
/// is copied, however many there are.
struct InsertedParagraphs: Sendable {
  /// The paragraphs, in the version after the edit.
  let indices: Range<Int>
  private let version: StateCore
  /// The paragraphs from which the first and the last have text.
  private let sources: (first: ParagraphID?, last: ParagraphID?)

  init(
    _ indices: Range<Int>, of version: StateCore,
    sources: (first: ParagraphID?, last: ParagraphID?)
  ) {
    (self.indices, self.version, self.sources) = (indices, version, sources)
  }

  var count: Int { indices.count }

  /// The event of the paragraph with this number, from 0. O(log n).
  subscript(number: Int) -> ParagraphEvent {
    let place = version.place(ofParagraph: indices.lowerBound + number)
    return event(version.descriptor(at: place), at: place.index)
  }

  private func event(_ descriptor: ParagraphDescriptor, at index: Int) -> ParagraphEvent {
    let source =
      index == indices.lowerBound
      ? sources.first : index == indices.upperBound - 1 ? sources.last : nil
    return .inserted(index: index, descriptor: descriptor, splitFrom: source)
  }

  /// The events in order.
  struct Iterator: IteratorProtocol {
    private let inserted: InsertedParagraphs
    private var paragraphs: TextState.Paragraphs.Iterator
    private var index: Int

    init(_ inserted: InsertedParagraphs) {
      self.inserted = inserted
      let paragraphs = TextState.Paragraphs(version: inserted.version, bounds: inserted.indices)
      self.paragraphs = paragraphs.makeIterator()
      index = inserted.indices.lowerBound
    }

    mutating func next() -> ParagraphEvent? {
      guard let paragraph = paragraphs.next() else { return nil }
      defer { index += 1 }
      return inserted.event(paragraph, at: index)
    }
  }
}

extension ParagraphEvent {
  /// True if it is about a paragraph of the version after the edit, at `index` or after it.
  func isAtOrAfter(_ index: Int) -> Bool {
    switch self {
    case .removed: false
    case .inserted(let own, _, _), .edited(let own, _, _), .attributesChanged(let own, _, _):
      own >= index
    }
  }
}
