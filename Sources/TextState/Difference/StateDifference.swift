public import EditModel

/// What differs between two versions, net of all that was done and taken back between them.
public struct StateDifference: Sendable {
  /// A stretch of the older text whose place another one takes in the newer text.
  public struct TextChange: Hashable, Sendable {
    /// What was replaced, in UTF-16 units of the older text.
    public let oldRange: UTF16Range
    /// What took its place, in UTF-16 units of the newer text.
    public let newRange: UTF16Range
  }

  /// What was replaced by what, in document order. The text between two changes is the same in
  /// both versions. None has an edge inside a surrogate pair or a CR LF.
  public let textChanges: [TextChange]
  /// Where the text is the same but carries other attributes, in document order, in UTF-16 units of
  /// the newer text.
  public let attributeChanges: [UTF16Range]
  /// What became of paragraphs, without lineage: the removed ones first, highest old index first;
  /// then the inserted, edited and restyled ones by ascending new index. Replaying them on the
  /// older list of identifiers gives the newer one. A paragraph whose units and attributes are
  /// what they were has no event, wherever it moved.
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

  /// True where text, attributes and paragraphs are the same.
  public var isEmpty: Bool {
    textChanges.isEmpty && attributeChanges.isEmpty && paragraphEvents.isEmpty
  }

  /// The edits that give the older version the text and the attributes of the newer one, in order
  /// of place, those of text first; each counts in the text that the one before has left. The
  /// paragraphs they make are new ones, with identifiers of their own. O(what differs).
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
  /// What differs between `older` and this version.
  ///
  /// Where one came from the other by edits, or both from a third version, they share most of
  /// their nodes, and these are not looked into: O(d + log n), where d is the size of the nodes
  /// that are not shared: a few thousand units around each place that was edited. Two versions
  /// that share nothing are compared as a whole, in O(n log n) at worst. Work on the text is bounded:
  /// past the bound text changes are coarser, never wrong.
  ///
  /// Either version may be the older one. Paragraphs are the same where their identifiers are.
  public func difference(from older: TextState) -> StateDifference {
    StateDifference(from: older, to: self)
  }
}
