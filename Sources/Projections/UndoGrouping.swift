public import EditModel

/// The rule for the edits that one undo takes back together.
///
/// Edits of one transaction are always one step, and an edit that opens a transaction begins a
/// new one, with one exception: strokes. A stroke is an edit of origin `typing` or `removal`
/// that types (its range has units after it) or deletes (its range is empty after it). A stroke
/// joins the step of the stroke before it if all of this is true:
///
/// - both type or both delete;
/// - same author, same session;
/// - the pause since the stroke before is at most `pauseNanosecondsMax`;
/// - it is where the last one ended. A deletion begins or ends there (forward or backward). Typed
///   text begins there and replaces at most as many units as it types, or it replaces the end of
///   the text typed last, as an input method does while composing;
/// - it types no paragraph terminator, unless `newlineStartsStep` is false. A stroke after a typed
///   terminator joins its step.
///
/// A mark set at the newest version and the closing of the document end the step.
///
/// The stroke rule is that of lexical-ios (kinds, sliding pause of 5 s), the rule for newlines
/// that of CodeMirror.
public struct UndoGrouping: Hashable, Sendable {
  /// The maximum pause inside a run of strokes, in nanoseconds.
  public var pauseNanosecondsMax: Int64 = 5_000_000_000
  /// True if a typed paragraph terminator starts a step.
  public var newlineStartsStep = true
  /// True if a step of origin `load` is offered for undo. It is not by default: taking it
  /// back would empty the document.
  public var undoesLoad = false

  /// The defaults.
  public init() {}

  /// True if `edit`, which opens a transaction, belongs to the step of `previous`, the edit
  /// just before it.
  fileprivate func joins(_ edit: Edit, to previous: LastEdit) -> Bool {
    guard let stroke = Stroke(edit), stroke == previous.stroke,
      edit.author.isExactly(previous.author), edit.session == previous.session,
      isPauseShort(from: previous.time, to: edit.time)
    else { return false }

    let (range, last) = (edit.action.range, previous.editedRange)
    switch stroke {
    case .deleting:
      return range.location == last.upperBound || range.upperBound == last.upperBound
    case .typing:
      guard let text = edit.action.replacement else { return false }
      if newlineStartsStep && text.units.contains(where: \.isTerminator) { return false }
      if range.location == last.upperBound { return range.length <= text.count }
      return range.upperBound == last.upperBound && range.location >= last.location
    }
  }

  private func isPauseShort(from previous: Timestamp, to next: Timestamp) -> Bool {
    let pause = next.nanoseconds.subtractingReportingOverflow(previous.nanoseconds)
    return !pause.overflow && pause.partialValue <= pauseNanosecondsMax
  }
}

/// Finds the edits at which undo steps begin, by the rule of an `UndoGrouping`.
public struct UndoBoundaries: Sendable {
  /// Why an edit belongs to the step of the edit before it.
  public enum Continuation: Hashable, Sendable {
    /// Both are of one transaction.
    case transaction
    /// Both are strokes of one run.
    case stroke
  }

  /// The rule.
  public let grouping: UndoGrouping
  private var last: LastEdit?
  private var isStepEnded = false

  /// Boundaries by this rule. The first edit begins a step.
  public init(_ grouping: UndoGrouping = UndoGrouping()) { self.grouping = grouping }

  /// Why the next edit belongs to the step of the edit before it. Nil if it begins a step.
  public mutating func continuation(of edit: Edit) -> Continuation? {
    defer { (last, isStepEnded) = (LastEdit(edit), false) }
    guard let last else { return nil }
    if edit.transaction == last.transaction { return .transaction }
    return !isStepEnded && grouping.joins(edit, to: last) ? .stroke : nil
  }

  /// Ends the step at a mark of the version `sequence`, which is the newest so far, and if the
  /// document is closed.
  public mutating func note(_ event: HistoryEvent, at sequence: SequenceNumber) {
    switch event.kind {
    case .mark(_, let at): if at == sequence { isStepEnded = true }
    case .closed: isStepEnded = true
    case .baseline, .saved, .divergence, .renamed, .session, .copied: break
    }
  }
}

extension UndoBoundaries: StoredValue {
  /// Appends the rule and what is known of the last edit.
  public func encode(to encoder: inout ValueEncoder) {
    grouping.encode(to: &encoder)
    isStepEnded.encode(to: &encoder)
    last.encode(to: &encoder)
  }

  /// Reads boundaries.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    grouping = try UndoGrouping(from: &decoder)
    isStepEnded = try Bool(from: &decoder)
    last = try LastEdit?(from: &decoder)
  }
}

extension UndoGrouping: StoredValue {
  /// Appends the parameters.
  public func encode(to encoder: inout ValueEncoder) {
    pauseNanosecondsMax.encode(to: &encoder)
    newlineStartsStep.encode(to: &encoder)
    undoesLoad.encode(to: &encoder)
  }

  /// Reads the parameters.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    pauseNanosecondsMax = try Int64(from: &decoder)
    newlineStartsStep = try Bool(from: &decoder)
    undoesLoad = try Bool(from: &decoder)
  }
}

/// What the rule needs of the edit before: not its text, which may be long.
private struct LastEdit: StoredValue {
  let transaction: SequenceNumber
  let stroke: Stroke?
  let author: String?
  let session: SessionID?
  let time: Timestamp
  let editedRange: UTF16Range

  init(_ edit: Edit) {
    (transaction, stroke, author) = (edit.transaction, Stroke(edit), edit.author)
    (session, time, editedRange) = (edit.session, edit.time, edit.action.editedRange)
  }

  func encode(to encoder: inout ValueEncoder) {
    transaction.encode(to: &encoder)
    stroke.encode(to: &encoder)
    author.encode(to: &encoder)
    session.encode(to: &encoder)
    time.encode(to: &encoder)
    editedRange.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    transaction = try SequenceNumber(from: &decoder)
    stroke = try Stroke?(from: &decoder)
    author = try String?(from: &decoder)
    session = try SessionID?(from: &decoder)
    time = try Timestamp(from: &decoder)
    editedRange = try UTF16Range(from: &decoder)
  }
}

/// The kind of an edit made by hand.
private enum Stroke: Equatable, StoredValue {
  case typing
  case deleting

  init?(_ edit: Edit) {
    guard let text = edit.action.replacement else { return nil }
    switch (edit.origin, text.isEmpty) {
    case (.typing, false): self = .typing
    case (.typing, true), (.removal, true): self = .deleting
    default: return nil
    }
  }

  func encode(to encoder: inout ValueEncoder) { (self == .typing).encode(to: &encoder) }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try Bool(from: &decoder) ? .typing : .deleting
  }
}

extension UInt16 {
  /// True for a unit that ends a paragraph, alone or as half of CR LF.
  fileprivate var isTerminator: Bool { self == 0x0A || self == 0x0D || self == 0x2029 }
}
