public import EditModel

/// The kinds of strokes that make a run: each is one step with those of its kind before it.
public enum UndoStroke: UInt8, CaseIterable, Hashable, Sendable {
  /// Text typed at the caret, of any length: some editors report several letters at once. Text with a line
  /// break before its end is no stroke. Text that replaces a selection begins a run, with one exception: an
  /// input method types one character, and replaces all that it typed last with each further piece. These
  /// pieces continue the run.
  case typing
  /// One unit deleted before the caret.
  case backspace
  /// One unit deleted after the caret.
  case delete

  /// The name used on the wire and in the CLI.
  public var name: String { "\(self)" }

  fileprivate var bit: UInt8 { 1 << rawValue }
}

/// The rule for the edits that one undo takes back together.
///
/// Edits of one transaction are always one step, and an edit that opens a transaction begins a
/// new one, with one exception: strokes (`UndoStroke`), which are edits of origin `typing` or `removal`.
/// A stroke joins the step of the stroke before it if all of this is true:
///
/// - both are of one kind, and that is one of `kinds`;
/// - same author, same session;
/// - the pause since the stroke before is shorter than `pauseNanoseconds`;
/// - it is where the last one ended;
/// - it types no paragraph terminator, if `newlineStartsStep` is true. A stroke after a typed
///   terminator joins its step.
///
/// A corrected slip belongs to the typing around it: if at most two units are deleted before the caret
/// within a run of typing, and typing goes on there, all three are one step. `kinds` must name both strokes.
///
/// A mark set at the newest version and the closing of the document end the step.
///
/// The kinds and the sliding pause of less than 5 s are those of lexical-ios, where only single units
/// join; the rule for newlines, which is off by default, is CodeMirror's.
public struct UndoGrouping: Hashable, Sendable {
  /// The pause inside a run of strokes that ends the run, in nanoseconds: 5 seconds.
  public var pauseNanoseconds: Int64 = 5_000_000_000
  /// The kinds of strokes that make runs. A stroke of another kind is a step of its own.
  public var kinds: Set<UndoStroke> {
    get { Set(UndoStroke.allCases.filter { kindBits & $0.bit != 0 }) }
    set { kindBits = newValue.reduce(0) { $0 | $1.bit } }
  }
  // A bit a kind: it is read for each edit.
  private var kindBits = UndoStroke.allCases.reduce(0) { $0 | $1.bit }
  /// True if a typed paragraph terminator starts a step.
  public var newlineStartsStep = false
  /// True if a step of origin `load` is offered for undo. It is not by default: taking it
  /// back would empty the document.
  public var undoesLoad = false

  /// The defaults.
  public init() {}

  /// The kind of run that `edit`, which opens a transaction, continues together with `previous`, which
  /// it follows. Nil if it begins a step.
  fileprivate func run(_ edit: Edit, after previous: LastEdit) -> UndoStroke? {
    guard let stroke = previous.run(continuedBy: edit), kindBits & stroke.bit != 0 else {
      return nil
    }
    if stroke == .typing, newlineStartsStep,
      edit.action.replacement?.units.contains(where: \.isTerminator) == true
    {
      return nil
    }
    return stroke
  }

  /// True if slips that are corrected within a run of typing belong to the run.
  fileprivate var joinsCorrections: Bool {
    let both = UndoStroke.typing.bit | UndoStroke.backspace.bit
    return kindBits & both == both
  }

  /// The first edit of the slip's correction, after which `edit` continues the typing before it. Nil if
  /// there is none.
  fileprivate func correction(before edit: Edit, after previous: LastEdit) -> SequenceNumber? {
    guard let correction = previous.correction, joinsCorrections,
      edit.origin == .typing, edit.transaction == edit.sequence,
      edit.action.range.isEmpty, edit.action.range.location == previous.editedRange.upperBound,
      let text = edit.action.replacement, text.isTyped,
      !newlineStartsStep || !text.units.contains(where: \.isTerminator)
    else { return nil }
    return correction.first
  }

  /// True if the same author made both, one soon after the other.
  fileprivate func follows(_ edit: Edit, _ previous: LastEdit) -> Bool {
    isPauseShort(from: previous.time, to: edit.time) && previous.writer.wrote(edit)
  }

  private func isPauseShort(from previous: Timestamp, to next: Timestamp) -> Bool {
    let pause = next.nanoseconds.subtractingReportingOverflow(previous.nanoseconds)
    return !pause.overflow && pause.partialValue < pauseNanoseconds
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
    /// It continues the run of typing before a correction: the step that began with the edit `from`, the
    /// first deletion of the correction, belongs to the step before it.
    case correction(from: SequenceNumber)
  }

  /// The number of edits before a part of a history that decide whether its first edits begin steps, as
  /// far as strokes go, and of the edits after it that decide whether its last ones do.
  package static let reach: SequenceNumber = 3

  /// The rule.
  public let grouping: UndoGrouping
  private var last = LastEdit()
  /// True if there is no last edit.
  private var isFirst = true
  private var isStepEnded = false

  /// The transaction of the last edit; nil if there is none.
  var transaction: SequenceNumber? { isFirst ? nil : last.transaction }

  /// Boundaries by this rule. The first edit begins a step.
  public init(_ grouping: UndoGrouping = UndoGrouping()) { self.grouping = grouping }

  /// Why the next edit belongs to the step of the edit before it. Nil if it begins a step.
  public mutating func continuation(of edit: Edit) -> Continuation? {
    let follows = !isFirst && grouping.follows(edit, last)
    let joins = follows && !isStepEnded
    var run: UndoStroke?
    var continuation: Continuation?
    if !isFirst, edit.transaction == last.transaction {
      continuation = .transaction
    } else if joins, let first = grouping.correction(before: edit, after: last) {
      (continuation, run) = (.correction(from: first), .typing)
    } else if joins, let stroke = grouping.run(edit, after: last) {
      (continuation, run) = (.stroke, stroke)
    }
    let correction =
      joins && continuation != .transaction ? last.correction(continuedBy: edit, in: run) : nil
    last.advance(to: edit, follows: follows, in: run, isFirst: isFirst)
    last.correction = correction
    (isFirst, isStepEnded) = (false, false)
    return continuation
  }

  /// True if the last edit may turn out to be the correction of a slip: the next edit may join the last two
  /// steps (`Continuation.correction`).
  package var mayBeCorrection: Bool {
    last.correction != nil && !isStepEnded && grouping.joinsCorrections
  }

  /// Ends the step at a mark of the version `sequence`, which is the newest so far, and if the
  /// document is closed.
  public mutating func note(_ event: HistoryEvent, at sequence: SequenceNumber) {
    switch event.kind {
    case .mark(_, let at): if at == sequence { isStepEnded = true }
    case .closed: isStepEnded = true
    case .baseline, .saved, .divergence, .renamed, .session, .copied, .undo: break
    }
  }
}

extension UndoBoundaries: StoredValue {
  /// Appends the rule and what is known of the last edit.
  public func encode(to encoder: inout ValueEncoder) {
    grouping.encode(to: &encoder)
    isStepEnded.encode(to: &encoder)
    (isFirst ? nil : last).encode(to: &encoder)
  }

  /// Reads boundaries.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    grouping = try UndoGrouping(from: &decoder)
    isStepEnded = try Bool(from: &decoder)
    if let stored = try LastEdit?(from: &decoder) { (last, isFirst) = (stored, false) }
  }
}

extension UndoGrouping: StoredValue {
  /// Appends the parameters.
  public func encode(to encoder: inout ValueEncoder) {
    pauseNanoseconds.encode(to: &encoder)
    for kind in UndoStroke.allCases { kinds.contains(kind).encode(to: &encoder) }
    newlineStartsStep.encode(to: &encoder)
    undoesLoad.encode(to: &encoder)
  }

  /// Reads the parameters.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    pauseNanoseconds = try Int64(from: &decoder)
    kinds = []
    for kind in UndoStroke.allCases where try Bool(from: &decoder) { kinds.insert(kind) }
    newlineStartsStep = try Bool(from: &decoder)
    undoesLoad = try Bool(from: &decoder)
  }
}

/// What the rule needs of the edit before: not its text, which may be long.
private struct LastEdit: StoredValue {
  /// What a stroke may be of a run of.
  enum Stroke: Hashable {
    case of(UndoStroke)
    /// A unit deleted before the caret or after it: the next deletion decides.
    case deletion
  }

  /// Deletions before the caret within a run of typing.
  struct Correction: StoredValue {
    /// The first deletion.
    var first: SequenceNumber
    /// UTF-16 units that were deleted.
    var length: Int

    /// The units that a correction deletes at most: more is meant to be a step.
    static let lengthMax = 2

    init(first: SequenceNumber, length: Int) { (self.first, self.length) = (first, length) }

    func encode(to encoder: inout ValueEncoder) {
      first.encode(to: &encoder)
      length.encode(to: &encoder)
    }

    init(from decoder: inout ValueDecoder) throws(StoredValueError) {
      (first, length) = (try SequenceNumber(from: &decoder), try decoder.decodeCount())
    }
  }

  private(set) var transaction: SequenceNumber = 0
  /// The correction of a slip that the last edits may be; nil if they are none.
  var correction: Correction?
  /// Nil if it is no stroke.
  private var stroke: Stroke?
  /// True if an input method may be composing its text: the next piece may replace all of it.
  private var isComposed = false
  private(set) var writer = EditWriter(author: nil, session: nil)
  private(set) var time = Timestamp(nanoseconds: 0)
  private(set) var editedRange = UTF16Range(0..<0)

  /// No edit.
  init() {}

  /// Becomes the next edit, which begins a run if it is a stroke, or is in one of this kind. If it follows
  /// the last one, it is known where the caret was, and its writer is the same. `isFirst` is true if nothing
  /// is known of the edits before it.
  mutating func advance(to edit: Edit, follows: Bool, in run: UndoStroke?, isFirst: Bool) {
    let caret = follows ? editedRange.upperBound : nil
    if !follows { writer = EditWriter(of: edit) }
    (transaction, time, editedRange) = (edit.transaction, edit.time, edit.action.editedRange)
    stroke = run.map { .of($0) }
    if run == nil { begin(edit, caret: caret) }
    // The first edit of a part of a history may be within a composition.
    let replacesComposed = !edit.action.range.isEmpty && (run == .typing || isFirst)
    isComposed =
      stroke == .of(.typing)
      && (replacesComposed || edit.action.replacement?.isOneCharacter == true)
  }

  /// The stroke that an edit is, outside a run.
  private mutating func begin(_ edit: Edit, caret: Int?) {
    guard let text = edit.action.replacement else { return }
    let range = edit.action.range
    switch edit.origin {
    case .typing where text.isTyped: stroke = .of(.typing)
    case .typing where text.isEmpty && range.length == 1,
      .removal where text.isEmpty && range.length == 1:
      stroke =
        caret == range.upperBound
        ? .of(.backspace) : caret == range.location ? .of(.delete) : .deletion
    default: break
    }
  }

  /// The kind of run that both edits make. Nil if they make none.
  func run(continuedBy edit: Edit) -> UndoStroke? {
    guard let stroke, edit.transaction == edit.sequence, let text = edit.action.replacement else {
      return nil
    }
    let (range, end) = (edit.action.range, editedRange.upperBound)
    if stroke == .of(.typing), edit.origin == .typing, !text.isEmpty {
      let continues = range.isEmpty ? range.location == end : isComposed && range == editedRange
      return continues && text.isTyped ? .typing : nil
    }
    guard text.isEmpty, range.length == 1, edit.origin == .typing || edit.origin == .removal,
      stroke != .of(.typing)
    else { return nil }
    let direction: UndoStroke? =
      range.upperBound == end ? .backspace : range.location == end ? .delete : nil
    guard let direction, stroke == .deletion || stroke == .of(direction) else { return nil }
    return direction
  }

  /// The correction that both edits may be, if the next one is in a run of this kind. Nil if they are none.
  func correction(continuedBy edit: Edit, in run: UndoStroke?) -> Correction? {
    guard edit.origin == .typing || edit.origin == .removal,
      edit.action.replacement?.isEmpty == true,
      edit.action.range.upperBound == editedRange.upperBound
    else { return nil }
    let length = edit.action.range.length
    let first =
      run == .backspace
      ? correction : stroke == .of(.typing) ? Correction(first: edit.sequence, length: 0) : nil
    guard let first, length > 0, length <= Correction.lengthMax - first.length else { return nil }
    return Correction(first: first.first, length: first.length + length)
  }

  func encode(to encoder: inout ValueEncoder) {
    correction.encode(to: &encoder)
    transaction.encode(to: &encoder)
    let code: UInt32 =
      switch stroke {
      case nil: 0
      case .deletion: 1
      case .of(let kind): 2 + UInt32(kind.rawValue)
      }
    code.encode(to: &encoder)
    isComposed.encode(to: &encoder)
    writer.author.encode(to: &encoder)
    writer.session.encode(to: &encoder)
    time.encode(to: &encoder)
    editedRange.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    correction = try Correction?(from: &decoder)
    transaction = try SequenceNumber(from: &decoder)
    switch try UInt32(from: &decoder) {
    case 0: stroke = nil
    case 1: stroke = .deletion
    case let code:
      guard let kind = UInt8(exactly: code - 2).flatMap(UndoStroke.init) else {
        throw decoder.error("a stroke is unknown")
      }
      stroke = .of(kind)
    }
    isComposed = try Bool(from: &decoder)
    writer = EditWriter(
      author: try String?(from: &decoder), session: try SessionID?(from: &decoder))
    time = try Timestamp(from: &decoder)
    editedRange = try UTF16Range(from: &decoder)
  }
}

extension UTF16Text {
  /// True for one Unicode scalar value, which is what a key types.
  fileprivate var isOneCharacter: Bool {
    count == 1 || count == 2 && UTF16.isLeadSurrogate(self[0]) && UTF16.isTrailSurrogate(self[1])
  }

  /// True for text that may be typed: it is not empty, and has no paragraph terminator but at its end.
  /// O(its units up to the first terminator).
  fileprivate var isTyped: Bool {
    guard let last = units.last else { return false }
    let endsInPair = last == 0x0A && count > 1 && self[count - 2] == 0x0D
    return !units.dropLast(endsInPair ? 2 : 1).contains(where: \.isTerminator)
  }
}

extension UInt16 {
  /// True for a unit that ends a paragraph, alone or as half of CR LF.
  fileprivate var isTerminator: Bool { self == 0x0A || self == 0x0D || self == 0x2029 }
}
