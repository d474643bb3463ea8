public import EditModel
public import TextState

/// The versions of some paragraphs through splits, merges and moves, oldest first.
///
/// Edits make one version if one undo would take them back together (`UndoGrouping`): a transaction,
/// or a run of typing. Only edits that change the paragraphs count. The newest versions are kept, up
/// to the limits of `Limits`; there is always at least one.
///
/// An edit costs O(its paragraph events). A version costs a copy of the state, which shares all but
/// the places edited since, and of the set of paragraphs. Texts are read at the end, of the versions
/// that are kept.
public struct ParagraphVersions: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The limits of the versions that are kept.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of versions.
    public var count: Int
    /// UTF-16 units of text from which on no further version is kept.
    public var textLength: Int

    /// Limits; by default 1,000 versions and 1,048,576 units.
    public init(count: Int = 1_000, textLength: Int = 1 << 20) {
      (self.count, self.textLength) = (max(1, count), textLength)
    }
  }

  /// The paragraphs that are followed.
  public let line: ParagraphLine
  /// The versions that are kept.
  public private(set) var versions: [ParagraphVersion] = []
  /// True if older versions were not kept.
  public private(set) var hasOlder = false
  private let moves: [ParagraphID: [ParagraphMove]]
  private let limits: Limits
  private var boundaries: UndoBoundaries
  private var open: ParagraphVersion?
  /// The first edits of the last two undo steps.
  private var stepStarts: (previous: SequenceNumber, last: SequenceNumber) = (0, 0)
  /// The newest versions without their texts, and the one before them.
  private var closed: [Closed] = []
  /// The paragraphs that count and are in the text.
  private var present: Set<ParagraphID> = []

  /// A version without its texts.
  private struct Closed {
    /// Nil before the first version.
    var version: ParagraphVersion?
    var present: Set<ParagraphID>
    var state: TextState

    /// The text of the paragraphs. O(n).
    var text: UTF16Text {
      let paragraphs = present.compactMap { state.paragraph($0) }.sorted { $0.index < $1.index }
      return paragraphs.reduce(into: UTF16Text()) { text, paragraph in
        text.append(state.text(in: paragraph.descriptor.range))
      }
    }
  }

  /// The versions of `line`, from the empty document on. `models` has the moves.
  public init(
    of line: ParagraphLine, _ models: ParagraphModels, grouping: UndoGrouping = UndoGrouping(),
    limits: Limits = Limits()
  ) {
    (self.line, self.limits, boundaries) = (line, limits, UndoBoundaries(grouping))
    moves = line.moves(in: models)
    let first = ParagraphID(sequence: 0, ordinal: 0)
    if line.contains(first, at: 0) { present = [first] }
    closed = [Closed(version: nil, present: present, state: TextState())]
  }

  /// Ends the version if `edit` begins an undo step.
  public mutating func willApply(_ edit: Edit, to state: TextState) {
    switch boundaries.continuation(of: edit) {
    case nil:
      close(at: state)
      stepStarts = (stepStarts.last, edit.sequence)
    case .correction(let first) where first == stepStarts.last: joinLastStep()
    case .correction, .transaction, .stroke: break
    }
  }

  /// Makes the version of the last step, if there is one, part of the version of the step before it.
  private mutating func joinLastStep() {
    defer { stepStarts.last = stepStarts.previous }
    guard var version = closed.last?.version,
      version.sequences.lowerBound >= stepStarts.previous
    else { return }
    closed.removeLast()
    if let open {
      version.add(open.steps)
      version.sequences = version.sequences.lowerBound...open.sequences.upperBound
      version.editCount += open.editCount
      version.stamp = open.stamp
    }
    open = version
  }

  /// Records what the edit changed.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    var steps: [ParagraphStep] = []
    for event in change.paragraphEvents {
      guard line.concerns(event.id, edit: edit.sequence) else { continue }
      if event.isRemoval { present.remove(event.id) } else { present.insert(event.id) }
      steps.append(event.step)
      for move in moves[event.id] ?? [] where move.stamp.sequence == edit.sequence {
        steps.append(ParagraphStep(kind: .moved, paragraph: event.id, related: move.paragraph))
      }
    }
    guard !steps.isEmpty else { return }
    var version =
      open
      ?? ParagraphVersion(
        sequences: edit.sequence...edit.sequence, stamp: EditStamp(edit), oldText: UTF16Text(),
        text: UTF16Text())
    version.sequences = version.sequences.lowerBound...edit.sequence
    version.editCount += 1
    version.stamp = EditStamp(edit)
    version.add(steps)
    open = version
    if line.endings.contains(edit.sequence) {
      present = present.filter { line.contains($0, at: edit.sequence) }
    }
  }

  /// Ends the undo step at marks and when the document is closed.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    boundaries.note(event, at: state.sequence)
  }

  private mutating func close(at state: TextState) {
    guard let version = open.take() else { return }
    closed.append(Closed(version: version, present: present, state: state))
    // Dropped in blocks, so that a version costs O(1).
    guard closed.count / 2 > limits.count else { return }
    closed.removeFirst(closed.count - limits.count - 1)
    hasOlder = true
  }

  /// Ends the last version, and reads the texts into `versions`. `state` is the version last applied.
  /// Call it once, after the last edit. O(texts of the versions).
  public mutating func finish(at state: TextState) {
    close(at: state)
    var (kept, length): ([ParagraphVersion], Int) = ([], 0)
    var text = closed.last?.text ?? UTF16Text()
    for (before, this) in zip(closed, closed.dropFirst()).reversed() {
      guard var version = this.version else { break }
      let oldText = before.text
      (version.oldText, version.text) = (oldText, text)
      text = oldText
      length += version.keptLength
      guard kept.isEmpty || kept.count < limits.count && length <= limits.textLength else {
        hasOlder = true
        break
      }
      kept.append(version)
    }
    versions = kept.reversed()
    closed = []
  }
}

extension ParagraphVersion {
  fileprivate var keptLength: Int { text.count + oldText.count }

  /// The number of steps beyond which further ones are left out.
  private static let stepCountMax = 64

  /// Adds the steps that it does not have yet.
  fileprivate mutating func add(_ more: [ParagraphStep]) {
    for step in more where steps.count < Self.stepCountMax && !steps.contains(step) {
      steps.append(step)
    }
  }
}

extension ParagraphLine {
  /// The moves into paragraphs of the line.
  fileprivate func moves(in models: ParagraphModels) -> [ParagraphID: [ParagraphMove]] {
    var moves: [ParagraphID: [ParagraphMove]] = [:]
    for id in ids {
      guard let model = models[id], !model.moves.isEmpty else { continue }
      moves[id] = model.moves
    }
    return moves
  }
}

extension ParagraphEvent {
  fileprivate var id: ParagraphID {
    switch self {
    case .removed(_, let descriptor, _), .inserted(_, let descriptor, _),
      .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
      descriptor.id
    }
  }

  fileprivate var isRemoval: Bool { if case .removed = self { true } else { false } }

  fileprivate var step: ParagraphStep {
    switch self {
    case .removed(_, _, let heir):
      ParagraphStep(kind: heir == nil ? .removed : .merged, paragraph: id, related: heir)
    case .inserted(_, _, let parent):
      ParagraphStep(kind: parent == nil ? .inserted : .split, paragraph: id, related: parent)
    case .edited: ParagraphStep(kind: .edited, paragraph: id, related: nil)
    case .attributesChanged: ParagraphStep(kind: .formatted, paragraph: id, related: nil)
    }
  }
}
