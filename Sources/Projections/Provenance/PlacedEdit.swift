import EditModel
import TextState

/// An edit, and what is needed of its change and of the version after it.
struct PlacedEdit: Sendable {
  var edit: Edit
  /// UTF-16 units of the text after it.
  var lengthAfter: Int
  /// The attributes of its replacement after it; nil if it has none, or all are plain.
  var newRuns: [AttributeRun]?
  /// The paragraphs that it removed, as they were before it.
  var removed: [ParagraphDescriptor] = []
  /// The paragraphs that it made, if they are noted.
  var inserted: [ParagraphID] = []
  /// False if the text and its attributes are the same after it.
  var changesText = true
}

extension PlacedEdit {
  /// An edit, its change and the version after it. `notesInserted` is true if the paragraphs that it made
  /// are needed.
  init(_ edit: Edit, _ change: Change, _ state: TextState, notesInserted: Bool = false) {
    self.init(
      edit: edit, lengthAfter: state.length, newRuns: edit.newRuns(in: state),
      removed: change.paragraphEvents.removedDescriptors,
      changesText: !change.paragraphEvents.isEmpty)
    guard notesInserted else { return }
    for case .inserted(_, let descriptor, _) in change.paragraphEvents {
      inserted.append(descriptor.id)
    }
  }
}

extension ParagraphEvents {
  /// The removed paragraphs, as they were before the edit. O(their number).
  var removedDescriptors: [ParagraphDescriptor] {
    var removed: [ParagraphDescriptor] = []
    // They are the first events. Most edits remove none.
    guard case .removed = first else { return removed }
    for event in self {
      guard case .removed(_, let descriptor, _) = event else { break }
      removed.append(descriptor)
    }
    return removed
  }
}
