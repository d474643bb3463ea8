public import EditModel
public import TextState

/// Work between an edit and the projections that read it, in the order of text systems: all stages
/// see that the edit is due; the edit is applied; each stage fixes attributes; each stage sees that
/// the edit was made; then the projections read.
///
/// A stage may change attributes, and nothing else: the text and the paragraphs are those of the
/// log. Its attributes are derived. They are in the runner's state only, and are never logged.
/// Each stage sees what the stages before it made. A stage must depend only on its arguments, so
/// that each replay gives the same attributes.
public protocol EditStage: Sendable {
  /// An edit that fits `state` is about to be applied to it.
  mutating func willEdit(_ edit: Edit, to state: TextState)

  /// Returns the attributes that some paragraphs are to get.
  ///
  /// - Parameters:
  ///   - paragraphs: The indices of the touched paragraphs in `state`: those that the edit changed,
  ///     and those in ranges that stages before this one widened. All paragraphs, if a runner
  ///     starts.
  ///   - state: The version after the edit, with the attributes of the stages so far.
  ///   - edit: The edit; nil if a runner starts.
  mutating func fixAttributes(
    of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
  ) -> StageResult

  /// The edit was made, and attributes are fixed. It may return attributes once more.
  mutating func didEdit(_ edit: StagedEdit, in state: TextState) -> StageResult
}

extension EditStage {
  /// Does nothing.
  public mutating func willEdit(_ edit: Edit, to state: TextState) {}
  /// Changes nothing.
  public mutating func fixAttributes(
    of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
  ) -> StageResult { StageResult() }
  /// Changes nothing.
  public mutating func didEdit(_ edit: StagedEdit, in state: TextState) -> StageResult {
    StageResult()
  }
}

/// What a stage makes of an edit.
public struct StageResult: Hashable, Sendable {
  /// Changes of attributes, in order. Their ranges are in UTF-16 units of the text after the edit.
  public var actions: [EditAction]
  /// A range that readers must read again although its attributes stay; nil if there is none.
  public var invalidated: UTF16Range?

  /// A result.
  public init(actions: [EditAction] = [], invalidated: UTF16Range? = nil) {
    (self.actions, self.invalidated) = (actions, invalidated)
  }
}

/// An edit with what the stages made of it.
public struct StagedEdit: Hashable, Sendable {
  /// The part of a stage that widened a range.
  public enum Phase: Hashable, Sendable {
    /// `EditStage.fixAttributes`.
    case fixAttributes
    /// `EditStage.didEdit`.
    case didEdit
  }

  /// The range that a stage changed or invalidated.
  public struct Widening: Hashable, Sendable {
    /// The index of the stage.
    public let stage: Int
    /// Its part.
    public let phase: Phase
    /// The smallest range with everything that it changed or invalidated, in UTF-16 units of the
    /// text after the edit.
    public let range: UTF16Range
  }

  /// The edit, as it is in the log.
  public let edit: Edit
  /// Its change, without those of the stages.
  public let change: Change
  /// What the stages changed or invalidated, in order. A stage that did neither is left out.
  public internal(set) var widenings: [Widening] = []
  /// The smallest range with `change.editedRange` and all widenings, in UTF-16 units of the text
  /// after the edit.
  public internal(set) var invalidatedRange: UTF16Range

  init(_ edit: consuming Edit, _ change: consuming Change) {
    invalidatedRange = change.editedRange
    (self.edit, self.change) = (edit, change)
  }
}
