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
    /// What it has of the text of the version before. Nil if there is none.
    var kept: KeptUnits?
    /// True if the file has it.
    var isWritten = false
    /// The debt of its paragraph when it was written.
    var debt = 0
    /// The debt of its paragraph before it, once its undo step has ended. Nil if there was none.
    var debtBefore: Int?
  }

  /// What a version that is not whole adds to the debt of its paragraph, in UTF-16 units, besides its
  /// text. When the debt has reached the length of the text, the next version is written whole: so a text
  /// is made of few rows, and rows take space in proportion to the edits.
  private static let versionCost = 512

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
    /// The versions that ended, with their texts.
    var versions: [(version: Version, text: VersionText)] = []
    /// The versions with rows that became part of the one before: paragraph and first edit.
    var joined: [(paragraph: ParagraphID, first: SequenceNumber)] = []
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
  /// The versions of the undo step before, if the last step may join it.
  private(set) var lastVersions: [ParagraphID: Version]
  /// The UTF-16 units that the versions of a paragraph took since the last whole one. A paragraph whose
  /// last version is whole has no entry.
  private(set) var debts: [ParagraphID: Int]
  private(set) var boundaries: UndoBoundaries
  private var batch = Batch()
  /// UTF-16 units of the texts of the versions in the batch.
  private(set) var versionsLength = 0

  /// At the empty document, or where `folds` were stored. `clock` measures large deletions.
  init(clock: @escaping TraceClock, from folds: Folds = Folds()) {
    (models, undo, boundaries) = (folds.models, folds.undo, folds.boundaries)
    (eventCount, times) = (folds.eventCount, folds.times)
    (openVersions, lastVersions) = (folds.openVersions, folds.lastVersions)
    debts = folds.debts
    var settings = DeletionTraceSettings()
    // The linear algorithm is not run.
    settings.linearWorkMax = 0
    deletions = DeletionTraces(settings: settings, clock: clock)
  }

  mutating func willApply(_ edit: Edit, to state: TextState) {
    deletions.willApply(edit, to: state)
    switch boundaries.continuation(of: edit) {
    case nil: endStep(at: state)
    case .correction: joinLastStep()
    case .transaction, .stroke: break
    }
    if !lastVersions.isEmpty, !boundaries.mayBeCorrection {
      lastVersions.removeAll(keepingCapacity: true)
    }
  }

  private mutating func endStep(at state: TextState) {
    for id in openVersions.keys.sorted() {
      close(id, at: state)
      openVersions[id]?.debtBefore = debts[id]
      debts[id] = openVersions[id].flatMap { $0.debt > 0 ? $0.debt : nil }
    }
    lastVersions.removeAll(keepingCapacity: true)
    swap(&lastVersions, &openVersions)
  }

  /// Makes the versions of the last step part of those of the step before it.
  private mutating func joinLastStep() {
    for (id, last) in lastVersions {
      var version = last
      debts[id] = last.debtBefore
      version.isWritten = false
      if let next = openVersions[id] {
        batch.joined.append((id, next.sequences.lowerBound))
        version.join(next)
      }
      openVersions[id] = version
    }
    lastVersions.removeAll(keepingCapacity: true)
  }

  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    models.apply(edit, change, state)
    // A transaction that may be an undo is decided when the next one begins, and may make a step then.
    let last = undo.decided.steps.last?.number ?? 0
    undo.apply(edit, change, state)
    batch.steps.formUnion(last...max(last, undo.decided.steps.last?.number ?? 0))
    batch.steps.insert(undo.decided.current)
    batch.edits.append((edit, change.removed?.text))
    for event in change.paragraphEvents { note(event, edit, change) }
    times = Times(first: times?.first ?? edit.time, last: edit.time)
  }

  mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    undo.apply(event, state)
    boundaries.note(event, at: state.sequence)
    eventCount += 1
    batch.events.append((eventCount, event))
    times = Times(first: times?.first ?? event.time, last: event.time)
  }

  private mutating func note(_ event: ParagraphEvent, _ edit: Edit, _ change: Change) {
    switch event {
    case .removed(_, let descriptor, _): noteRemoval(of: descriptor.id)
    case .inserted(_, let descriptor, let parent):
      touch(descriptor.id, parent.map { "split:\($0)" } ?? "inserted", nil, edit)
    case .edited(_, let descriptor, let oldRange):
      let kept = KeptUnits(of: oldRange, in: descriptor.range, by: change)
      touch(descriptor.id, "edited", kept, edit)
    case .attributesChanged(_, let descriptor, _):
      touch(descriptor.id, "formatted", .all, edit)
    }
  }

  /// Notes a change that left `kept` of the paragraph's text; nil if it was not there before.
  private mutating func touch(
    _ id: ParagraphID, _ change: String, _ kept: KeptUnits?, _ edit: Edit
  ) {
    batch.touched.insert(id)
    var version =
      openVersions[id]
      ?? Version(
        paragraph: id, sequences: edit.sequence...edit.sequence, stamp: EditStamp(edit),
        kept: kept)
    version.sequences = min(version.sequences.lowerBound, edit.sequence)...edit.sequence
    version.editCount += 1
    version.isWritten = false
    version.stamp = EditStamp(edit)
    version.add(change)
    if let kept { version.kept?.narrow(to: kept) } else { version.kept = nil }
    if let move = models.move(into: id, by: edit.sequence) {
      version.add("moved:\(move.paragraph)")
      batch.touched.insert(move.paragraph)
    }
    openVersions[id] = version
  }

  /// Ends the version of a removed paragraph. The removal is a version of its own.
  private mutating func noteRemoval(of id: ParagraphID) {
    lastVersions[id] = nil
    if let version = openVersions.removeValue(forKey: id), !version.isWritten {
      let text = models[id]?.death?.lastText ?? UTF16Text()
      let kept = keptUnits(of: version, length: text.count)
      add(version, kept.map { VersionText(text, keeping: $0) } ?? VersionText(text))
    }
    debts[id] = nil
    if !batch.touched.contains(id) { batch.removed.insert(id) }
  }

  private mutating func close(_ id: ParagraphID, at state: TextState) {
    guard let version = openVersions[id], !version.isWritten, let paragraph = state.paragraph(id)
    else { return }
    let range = paragraph.descriptor.range
    openVersions[id]?.isWritten = true
    guard let kept = keptUnits(of: version, length: range.length) else {
      openVersions[id]?.debt = 0
      return add(version, VersionText(state.text(in: range)))
    }
    let text = VersionText(in: range, of: state, keeping: kept)
    openVersions[id]?.debt = (debts[id] ?? 0) + Self.versionCost + text.text.count
    add(version, text)
  }

  /// What a version has of the text before it. Nil if it is written whole.
  private func keptUnits(of version: Version, length: Int) -> KeptUnits? {
    debts[version.paragraph] ?? 0 < length ? version.kept : nil
  }

  private mutating func add(_ version: Version, _ text: VersionText) {
    versionsLength += text.text.count
    batch.versions.append((version, text))
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

  /// Takes in the next version of the paragraph.
  fileprivate mutating func join(_ next: Self) {
    sequences = sequences.lowerBound...next.sequences.upperBound
    editCount += next.editCount
    stamp = next.stamp
    for change in next.changes { add(change) }
    if let units = next.kept { kept?.narrow(to: units) } else { kept = nil }
  }

  /// The number of changes beyond which further ones are left out.
  private static let changeCountMax = 16
}
