public import EditModel

/// The net difference of two versions: changes that were taken back between them do not count.
public struct StateDifference: Sendable {
  /// A range of the older text that is replaced in the newer text.
  public struct TextChange: Hashable, Sendable {
    /// The replaced range, in UTF-16 units of the older text.
    public let oldRange: UTF16Range
    /// The range of its replacement, in UTF-16 units of the newer text.
    public let newRange: UTF16Range
  }

  /// The replacements in document order. The text between two changes is the same in both versions.
  /// No edge is inside a surrogate pair or a CR LF.
  public let textChanges: [TextChange]
  /// The ranges that have the same text but other attributes, in document order, in UTF-16 units of
  /// the newer text.
  public let attributeChanges: [UTF16Range]
  /// The paragraph events, without lineage: the removed paragraphs first, highest old index first;
  /// then the inserted, edited and restyled ones by ascending new index. If they are applied to the
  /// older list of identifiers, the result is the newer one. A paragraph with the same units and
  /// attributes has no event, even if it moved.
  public let paragraphEvents: ParagraphEvents
  private let newer: TextState

  init(from older: TextState, to newer: TextState) {
    let comparison = StateComparison(older.core, newer.core)
    let hunks = comparison.textHunks()
    textChanges = hunks.map {
      TextChange(oldRange: UTF16Range($0.old), newRange: UTF16Range($0.new))
    }
    attributeChanges = comparison.attributeChanges(outside: hunks).map { UTF16Range($0) }
    paragraphEvents = comparison.events(of: comparison.matchParagraphs())
    self.newer = newer
  }

  /// True if text, attributes and paragraphs are the same.
  public var isEmpty: Bool {
    textChanges.isEmpty && attributeChanges.isEmpty && paragraphEvents.isEmpty
  }

  /// The edits that give the older version the text and the attributes of the newer one, in order
  /// of place, those of text first. Each refers to the text after the one before it. The paragraphs
  /// that they create get new identifiers. O(size of the difference).
  public var actions: [EditAction] {
    textChanges.compactMap { change in
      let range = change.newRange.location..<change.newRange.location + change.oldRange.length
      return action(UTF16Range(range), newer.text(in: change.newRange), change.newRange)
    } + attributeChanges.compactMap { action($0, nil, $0) }
  }

  private func action(
    _ range: UTF16Range, _ replacement: UTF16Text?, _ newRange: UTF16Range
  ) -> EditAction? {
    let runs = newer.attributeRuns(in: newRange)
    // The runs of a range cover it, so this never fails.
    return try? EditAction(
      range: range, replacement: replacement, attributes: runs.isEmpty ? .inherit : .set(runs))
  }
}

extension TextState {
  /// The difference between `older` and this version.
  ///
  /// If one version was made from the other by edits, or both from a third one, they share most of
  /// their nodes, and shared nodes are not read. The cost is O(d + log n), where d is the size of
  /// the nodes that are not shared: a few thousand units around each edit. Two versions that share
  /// nothing are compared as a whole, in O(n log n) at worst. The work on the text is limited:
  /// beyond the limit, text changes are coarser, but never wrong.
  ///
  /// Either version may be the older one. Paragraphs with equal identifiers are the same.
  public func difference(from older: TextState) -> StateDifference {
    StateDifference(from: older, to: self)
  }
}
