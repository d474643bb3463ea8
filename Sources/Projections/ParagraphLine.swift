public import EditModel

/// The paragraphs whose texts make the history of some paragraphs: these, and the earlier ones from
/// which their text came by splits, merges and moves.
///
/// An earlier paragraph counts up to the edit with which its text became part of the later one. A
/// split or a merge that passed on a terminator only is not followed.
public struct ParagraphLine: Hashable, Sendable {
  /// The edit from which on each paragraph no longer counts; nil if it counts to the end.
  private var ends: [ParagraphID: SequenceNumber?] = [:]
  /// The edits from which on some paragraph no longer counts.
  private(set) var endings: Set<SequenceNumber> = []

  /// The line of `paragraphs`, as `models` has it. Paragraphs that were moved are followed forward
  /// too. O(paragraphs of the line, and those split from and merged into them).
  public init(of paragraphs: [ParagraphID], in models: ParagraphModels) {
    var rest: [(id: ParagraphID, end: SequenceNumber?)] = []
    for id in paragraphs {
      var next: ParagraphID? = id
      while let id = next, ends[id] == nil {
        ends[id] = .some(nil)
        rest.append((id, nil))
        next = models[id]?.movedTo
      }
    }
    while let (id, end) = rest.popLast() {
      guard let model = models[id] else { continue }
      func follow(_ earlier: ParagraphID, until sequence: SequenceNumber) {
        if let end, sequence > end { return }
        if let known = ends[earlier], known.map({ $0 >= sequence }) ?? true { return }
        ends[earlier] = sequence
        endings.insert(sequence)
        rest.append((earlier, sequence))
      }
      if let parent = model.textFrom { follow(parent, until: model.born.sequence) }
      for move in model.moves { follow(move.paragraph, until: move.stamp.sequence) }
      for absorbed in model.absorbed {
        guard let death = models[absorbed]?.death, death.leavesText else { continue }
        follow(absorbed, until: death.stamp.sequence)
      }
    }
  }

  /// All paragraphs of the line, in no particular order.
  var ids: some Sequence<ParagraphID> { ends.keys }

  /// True if the paragraph counts in the version after this edit. O(1).
  public func contains(_ id: ParagraphID, at sequence: SequenceNumber) -> Bool {
    guard let end = ends[id] else { return false }
    return end.map { sequence < $0 } ?? true
  }

  /// True if the edit may change the paragraph's part of the text: it counted before the edit, or
  /// counts after it. O(1).
  func concerns(_ id: ParagraphID, edit sequence: SequenceNumber) -> Bool {
    contains(id, at: sequence) || sequence > 0 && contains(id, at: sequence - 1)
  }
}
