public import EditModel

extension UndoTree {
  /// An edit of a history, and the side of it whose text is that of a version.
  public struct SelectionSource: Hashable, Sendable {
    /// The edit.
    public let edit: SequenceNumber
    /// True if the text is that after the edit; false if it is that before it.
    public let isAfter: Bool
  }

  /// The edits whose selections are those of the text of a step, once the tree is there: the first that
  /// has one counts.
  ///
  /// After an undo, that is what was selected before the first edit that was taken back; after a redo,
  /// what was selected after the last edit that was brought back. O(steps up to it).
  ///
  /// - Parameter target: The step to which an undo or a redo leads.
  /// - Returns: Up to two edits.
  public func selectionSources(at target: Int) -> [SelectionSource] {
    var sources: [SelectionSource] = []
    var at = current
    // A step's parent was created before it.
    while at > target, let parent = nodes[at].parent {
      if parent == target {
        sources.append(SelectionSource(edit: nodes[at].sequences.lowerBound, isAfter: false))
      }
      at = parent
    }
    if target > 0, let step = self[target] {
      sources.append(SelectionSource(edit: step.sequences.upperBound, isAfter: true))
    }
    return sources
  }
}
