public import EditModel
public import TextState

/// The changes of one outermost group of edits, for a host that keeps the paragraphs in a list of its
/// own.
///
/// The order of the steps: paragraphs are removed, highest old index first; then they are inserted,
/// edited and restyled, by ascending final index. A paragraph that moved because of edits before it
/// has no step. A paragraph that was created and removed inside the group has none either. If the
/// steps are applied to the host's list before the group, the result is the list after it.
///
/// Iteration makes the steps, with their content, one after the other: O(content of the changed
/// paragraphs). The update shares memory with the versions before and after the group.
public struct HostedUpdate: Sendable {
  /// The kinds of changes, the edited range, the change in length, and the events without content.
  public let change: TransactionChange
  /// The numbers of the group's edits.
  public let sequences: ClosedRange<SequenceNumber>
  let before: TextState
  let after: TextState

  init(
    _ change: TransactionChange, _ sequences: ClosedRange<SequenceNumber>, from before: TextState,
    to after: TextState
  ) {
    (self.change, self.sequences) = (change, sequences)
    (self.before, self.after) = (before, after)
  }

  /// Applies the steps to a list that has the paragraphs before the group. O(n + content of the
  /// changed paragraphs), or the latter alone if no paragraph was removed or inserted.
  ///
  /// - Returns: False if a step does not fit the list, which then is not that of the version before;
  ///   the list is unchanged.
  @discardableResult
  public func apply(to paragraphs: inout [HostedParagraph]) -> Bool {
    var isKept: [Bool]?
    var arrivals: [HostedStep] = []
    for step in self {
      guard case .remove(let index, let paragraph, _, _) = step else {
        arrivals.append(step)
        continue
      }
      guard paragraphs.indices.contains(index), paragraphs[index] == paragraph else { return false }
      isKept = isKept ?? Array(repeating: true, count: paragraphs.count)
      isKept?[index] = false
    }
    let kept = isKept.map { isKept in zip(paragraphs, isKept).filter(\.1).map(\.0) } ?? paragraphs
    guard isKept != nil || arrivals.contains(where: \.isInsertion) else {
      return replace(arrivals, in: &paragraphs)
    }
    var (list, next): ([HostedParagraph], Int) = ([], 0)
    list.reserveCapacity(kept.count + arrivals.count)
    for step in arrivals {
      let count = step.index - list.count
      guard count >= 0, count <= kept.count - next else { return false }
      list += kept[next..<next + count]
      next += count
      if !step.isInsertion {
        guard next < kept.count, kept[next].id == step.paragraph.id else { return false }
        next += 1
      }
      list.append(step.paragraph)
    }
    paragraphs = list + kept[next...]
    return true
  }

  /// Replaces paragraphs that keep their places; as `apply(to:)`.
  private func replace(_ steps: [HostedStep], in paragraphs: inout [HostedParagraph]) -> Bool {
    for step in steps {
      guard paragraphs.indices.contains(step.index),
        paragraphs[step.index].id == step.paragraph.id
      else { return false }
    }
    for step in steps { paragraphs[step.index] = step.paragraph }
    return true
  }
}

extension HostedUpdate: Sequence {
  /// The number of steps.
  public var count: Int { change.paragraphEvents.count }

  /// True if no paragraph changed.
  public var isEmpty: Bool { change.paragraphEvents.isEmpty }

  /// The number of steps.
  public var underestimatedCount: Int { count }

  /// An iterator over the steps.
  public func makeIterator() -> Iterator {
    Iterator(events: change.paragraphEvents.makeIterator(), before: before, after: after)
  }

  /// An iterator over steps.
  public struct Iterator: IteratorProtocol {
    fileprivate var events: ParagraphEvents.Iterator
    fileprivate let before: TextState
    fileprivate let after: TextState

    /// The next step; nil after the last.
    public mutating func next() -> HostedStep? {
      switch events.next() {
      case .removed(let index, let descriptor, let heir):
        .remove(
          index: index, paragraph: HostedParagraph(descriptor, in: before),
          oldRange: descriptor.range, mergedInto: heir)
      case .inserted(let index, let descriptor, let parent):
        .insert(
          index: index, paragraph: HostedParagraph(descriptor, in: after), splitFrom: parent)
      case .edited(let index, let descriptor, _):
        .edit(index: index, paragraph: HostedParagraph(descriptor, in: after))
      case .attributesChanged(let index, let descriptor, _):
        .style(index: index, paragraph: HostedParagraph(descriptor, in: after))
      case nil: nil
      }
    }
  }
}
