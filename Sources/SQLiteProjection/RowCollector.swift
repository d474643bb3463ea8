import EditModel
import Projections
import TextState

/// Folds a history, and collects the changes of its rows since the last transaction. No I/O.
struct RowCollector: Projection {
  static let version = UInt32(Schema.version)
  static let needsRemovedContent = true

  /// A version of a paragraph: the edits of one undo step that changed it.
  struct Version: StoredValue {
    var paragraph: ParagraphID
    var sequences: ClosedRange<SequenceNumber>
    var editCount = 0
    var stamp: EditStamp
    /// Kinds of changes, each once, with the other paragraph: `edited`, `split:12.0`.
    var changes: [String] = []
    /// Its text after the edits. Nil if it was removed, or is longer than `textLengthMax`.
    var text: UTF16Text?
    /// True if the file has it.
    var isWritten = false
  }

  /// The maximum length in UTF-16 units of a version's text. Each undo step in a paragraph makes a
  /// version, so the versions of a long paragraph could fill a disk.
  private static let textLengthMax = 1 << 16

  /// What changed since the last transaction.
  struct Batch {
    /// The edits, with the texts that they removed.
    var edits: [(edit: Edit, removed: UTF16Text?)] = []
    /// The events with their numbers, from 1.
    var events: [(number: Int, event: HistoryEvent)] = []
    /// The paragraphs that changed, those that were only removed excluded.
    var touched: Set<ParagraphID> = []
    /// The paragraphs that were removed and had not changed before.
    var removed: Set<ParagraphID> = []
    /// The versions that ended.
    var versions: [Version] = []
    /// The undo steps that changed.
    var steps: Set<Int> = []
  }

  private(set) var models: ParagraphModels
  private(set) var undo: UndoHistory
  private(set) var deletions: DeletionTraces
  /// The number of events.
  private(set) var eventCount: Int
  /// The times of the first and the last entry.
  private(set) var times: Times?
  /// The versions that the next edit of their undo step extends.
  private(set) var openVersions: [ParagraphID: Version]
  private(set) var boundaries: UndoBoundaries
  private var batch = Batch()
  /// UTF-16 units of the texts of the versions in the batch.
  private(set) var versionsLength = 0

  /// At the empty document, or where `folds` were stored. `clock` measures large deletions.
  init(clock: @escaping TraceClock, from folds: Folds = Folds()) {
    (models, undo, boundaries) = (folds.models, folds.undo, folds.boundaries)
    (eventCount, times) = (folds.eventCount, folds.times)
    openVersions = folds.openVersions
    var settings = DeletionTraceSettings()
    // The linear algorithm is not run.
    settings.linearWorkMax = 0
    deletions = DeletionTraces(settings: settings, clock: clock)
  }

  mutating func willApply(_ edit: Edit, to state: TextState) {
    deletions.willApply(edit, to: state)
    guard boundaries.continuation(of: edit) == nil, !openVersions.isEmpty else { return }
    for id in openVersions.keys.sorted() { close(id, at: state) }
    openVersions.removeAll(keepingCapacity: true)
  }

  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    models.apply(edit, change, state)
    // A transaction that may be an undo is decided when the next one begins, and may make a step then.
    let last = undo.decided.steps.last?.number ?? 0
    undo.apply(edit, change, state)
    batch.steps.formUnion(last...max(last, undo.decided.steps.last?.number ?? 0))
    batch.steps.insert(undo.decided.current)
    batch.edits.append((edit, change.removed?.text))
    for event in change.paragraphEvents { note(event, edit) }
    times = Times(first: times?.first ?? edit.time, last: edit.time)
  }

  mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    undo.apply(event, state)
    boundaries.note(event, at: state.sequence)
    eventCount += 1
    batch.events.append((eventCount, event))
    times = Times(first: times?.first ?? event.time, last: event.time)
  }

  private mutating func note(_ event: ParagraphEvent, _ edit: Edit) {
    switch event {
    case .removed(_, let descriptor, _): noteRemoval(of: descriptor.id)
    case .inserted(_, let descriptor, let parent):
      touch(descriptor.id, parent.map { "split:\($0)" } ?? "inserted", edit)
    case .edited(_, let descriptor, _): touch(descriptor.id, "edited", edit)
    case .attributesChanged(_, let descriptor, _): touch(descriptor.id, "formatted", edit)
    }
  }

  private mutating func touch(_ id: ParagraphID, _ change: String, _ edit: Edit) {
    batch.touched.insert(id)
    var version =
      openVersions[id]
      ?? Version(
        paragraph: id, sequences: edit.sequence...edit.sequence, stamp: EditStamp(edit))
    version.sequences = min(version.sequences.lowerBound, edit.sequence)...edit.sequence
    version.editCount += 1
    version.isWritten = false
    version.stamp = EditStamp(edit)
    version.add(change)
    if let move = models.move(into: id, by: edit.sequence) {
      version.add("moved:\(move.paragraph)")
      batch.touched.insert(move.paragraph)
    }
    openVersions[id] = version
  }

  /// Ends the version of a removed paragraph. The removal is a version of its own.
  private mutating func noteRemoval(of id: ParagraphID) {
    if let version = openVersions.removeValue(forKey: id), !version.isWritten {
      add(version, models[id]?.death?.lastText)
    }
    if !batch.touched.contains(id) { batch.removed.insert(id) }
  }

  private mutating func close(_ id: ParagraphID, at state: TextState) {
    guard let version = openVersions[id], !version.isWritten, let paragraph = state.paragraph(id)
    else { return }
    let range = paragraph.descriptor.range
    add(version, range.length <= Self.textLengthMax ? state.text(in: range) : nil)
    openVersions[id]?.isWritten = true
  }

  private mutating func add(_ version: Version, _ text: UTF16Text?) {
    var version = version
    version.text = text.flatMap { $0.count <= Self.textLengthMax ? $0 : nil }
    versionsLength += version.text?.count ?? 0
    batch.versions.append(version)
  }

  /// Removes and returns what changed since the last call. The versions that are open are in it too,
  /// with their texts in `state`, the version last applied.
  mutating func takeBatch(at state: TextState) -> Batch {
    for id in openVersions.keys.sorted() { close(id, at: state) }
    defer { (batch, versionsLength) = (Batch(), 0) }
    return batch
  }
}

extension RowCollector.Version {
  fileprivate mutating func add(_ change: String) {
    if !changes.contains(change), changes.count < Self.changeCountMax { changes.append(change) }
  }

  /// The number of changes beyond which further ones are left out.
  private static let changeCountMax = 16
}
