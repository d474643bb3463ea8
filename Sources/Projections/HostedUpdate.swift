public import EditModel
import ModelStorage
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

  /// The steps as the difference of the list of paragraphs. O(events + content of the inserted and
  /// edited paragraphs).
  var difference: ListDifference<HostedParagraph> {
    var difference = ListDifference<HostedParagraph>(oldCount: before.paragraphCount)
    for event in change.paragraphEvents {
      switch event {
      case .removed(let index, _, _): difference.removals.append(index)
      case .inserted(let index, let descriptor, _):
        difference.insertions.append(.init(index, HostedParagraph(descriptor, in: after)))
      case .edited(let index, let descriptor, _), .attributesChanged(let index, let descriptor, _):
        difference.updates.append(.init(index, HostedParagraph(descriptor, in: after)))
      }
    }
    // Removed paragraphs come from the last to the first.
    difference.removals.reverse()
    return difference
  }

  /// Applies the steps to a list that has the paragraphs before the group. O(events + content of
  /// the inserted and edited paragraphs); if paragraphs were removed or inserted, O(n) moves of memory
  /// besides.
  ///
  /// - Returns: False if the list is not that of the version before, as far as the steps tell; it is
  ///   then unchanged.
  @discardableResult
  public func apply(to paragraphs: inout [HostedParagraph]) -> Bool {
    guard paragraphs.count == before.paragraphCount else { return false }
    let difference = difference
    guard fits(difference, paragraphs) else { return false }
    return (try? difference.apply(to: &paragraphs)) != nil
  }

  /// True if the paragraphs that are removed or edited are those of the version before.
  private func fits(
    _ difference: ListDifference<HostedParagraph>, _ paragraphs: [HostedParagraph]
  ) -> Bool {
    for index in difference.removals
    where paragraphs[index].id != before.paragraph(at: index).id { return false }
    // The old index of an edited paragraph: inserted ones before it are not counted, removed ones are.
    var (inserted, removed) = (0, 0)
    for place in difference.updates {
      while inserted < difference.insertions.count,
        difference.insertions[inserted].index < place.index
      { inserted += 1 }
      while removed < difference.removals.count,
        difference.removals[removed] <= place.index - inserted + removed
      { removed += 1 }
      guard paragraphs[place.index - inserted + removed].id == place.item.id else { return false }
    }
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
