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
  fileprivate func joins(_ edit: Edit, to previous: Edit) -> Bool {
    guard let stroke = Stroke(edit), stroke == Stroke(previous),
      edit.author.isExactly(previous.author), edit.session == previous.session,
      isPauseShort(from: previous.time, to: edit.time)
    else { return false }

    let (range, last) = (edit.action.range, previous.action.editedRange)
    switch stroke {
    case .deleting:
      return range.location == last.upperBound || range.upperBound == last.upperBound
    case .typing(let text):
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
  private var last: Edit?
  private var isStepEnded = false

  /// Boundaries by this rule. The first edit begins a step.
  public init(_ grouping: UndoGrouping = UndoGrouping()) { self.grouping = grouping }

  /// Why the next edit belongs to the step of the edit before it. Nil if it begins a step.
  public mutating func continuation(of edit: Edit) -> Continuation? {
    defer { (last, isStepEnded) = (edit, false) }
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

/// The kind of an edit made by hand. Two strokes are equal if they are of the same kind.
private enum Stroke: Equatable {
  case typing(UTF16Text)
  case deleting

  init?(_ edit: Edit) {
    guard let text = edit.action.replacement else { return nil }
    switch (edit.origin, text.isEmpty) {
    case (.typing, false): self = .typing(text)
    case (.typing, true), (.removal, true): self = .deleting
    default: return nil
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.typing, .typing), (.deleting, .deleting): true
    default: false
    }
  }
}

extension UInt16 {
  /// True for a unit that ends a paragraph, alone or as half of CR LF.
  fileprivate var isTerminator: Bool { self == 0x0A || self == 0x0D || self == 0x2029 }
}
