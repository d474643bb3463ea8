public import EditModel
public import TextState

/// A text for a host that keeps the paragraphs in a model of its own, such as the rows of a view or of
/// a database.
///
/// The host starts with `paragraphs`. From then on it gets one `HostedUpdate` for each outermost
/// group of edits, and applies its steps in order.
///
/// ```swift
/// var text = try HostedText(from: state)
/// var rows = text.paragraphs
/// let update = try text.group { text in
///   try text.apply(first)
///   try text.apply(second)
/// }
/// update?.apply(to: &rows)
/// ```
///
/// Groups nest: a counter is raised by `beginGroup` and lowered by `endGroup`, and the update is made
/// when it reaches 0. An edit outside groups is a group of its own. Stages, such as `ParagraphStyling`,
/// run after each edit on all paragraphs that it touched; what they change is part of the update.
public struct HostedText: Sendable {
  /// The number of open groups.
  public private(set) var groupDepth = 0
  private var runner: ProjectionRunner

  /// A text at the version `state`. The stages have seen all of its paragraphs.
  ///
  /// - Throws: `ProjectionError` if a stage returned what it must not.
  public init(
    from state: TextState = TextState(), stages: [any EditStage] = []
  ) throws(ProjectionError) {
    runner = try ProjectionRunner(from: state, [GroupCollector()], stages: stages)
  }

  /// A text with the paragraphs of a host's model. Its first edit loads them, and there is none if
  /// their text is empty.
  ///
  /// `repair` tells the host what to correct in its model: its paragraphs and those of this text are
  /// then the same.
  ///
  /// - Throws: `ProjectionError` if a stage returned what it must not.
  public init(
    loading repair: ParagraphRepair, stages: [any EditStage] = []
  ) throws(ProjectionError) {
    try self.init(stages: stages)
    let text = repair.text
    guard !text.isEmpty else { return }
    try apply(EditAction(replacing: UTF16Range(0..<0), with: text))
  }

  /// The version after the last edit, with the attributes of the stages.
  public var state: TextState { runner.state }

  /// All paragraphs, for a host that starts. O(n).
  public var paragraphs: [HostedParagraph] { state.hostedParagraphs }

  /// Opens a group inside those that are open.
  public mutating func beginGroup() { groupDepth += 1 }

  /// Closes the group that was opened last.
  ///
  /// - Returns: The update, if it was the outermost group and had an edit; else nil.
  /// - Throws: `GroupError.noOpenGroup` if no group is open.
  @discardableResult
  public mutating func endGroup() throws(GroupError) -> HostedUpdate? {
    guard groupDepth > 0 else { throw .noOpenGroup }
    groupDepth -= 1
    return groupDepth == 0 ? finish() : nil
  }

  /// Applies the edits that `body` makes, as one group. If `body` throws, or leaves a group open or
  /// closes one too many, the text is as it was before.
  ///
  /// - Returns: as `endGroup`.
  /// - Throws: what `body` throws; `GroupError.noOpenGroup` if its groups do not balance.
  @discardableResult
  public mutating func group(
    _ body: (inout HostedText) throws -> Void
  ) throws -> HostedUpdate? {
    var text = self
    text.beginGroup()
    try body(&text)
    guard text.groupDepth == groupDepth + 1 else { throw GroupError.noOpenGroup }
    let update = try text.endGroup()
    self = text
    return update
  }

  /// Applies one edit, as the next number.
  ///
  /// - Returns: The update, if no group is open; else nil.
  /// - Throws: `ProjectionError` if the action does not fit the text, or if a stage returned what it
  ///   must not. The text is then unchanged, and open groups stay open.
  @discardableResult
  public mutating func apply(_ action: EditAction) throws(ProjectionError) -> HostedUpdate? {
    try apply(Edit(sequence: state.sequence + 1, action: action))
  }

  /// Applies one edit of a log. Its transaction is not considered: `apply(transactionsOf:)` does.
  ///
  /// - Returns: as `apply(_ action:)`.
  /// - Throws: as `apply(_ action:)`, and if the edit is not the next one.
  @discardableResult
  public mutating func apply(_ edit: Edit) throws(ProjectionError) -> HostedUpdate? {
    try runner.apply(edit)
    return groupDepth == 0 ? finish() : nil
  }

  /// Applies edits of a log, each transaction as one group. The rest of a transaction whose first
  /// edits came in an earlier call is a group of its own.
  ///
  /// - Returns: One update for each transaction; if a group is open, none.
  /// - Throws: as `apply(_ edit:)`. The text is then as it was before.
  @discardableResult
  public mutating func apply(
    transactionsOf edits: some Sequence<Edit>
  ) throws(ProjectionError) -> [HostedUpdate] {
    var text = self
    var updates: [HostedUpdate] = []
    var transaction: SequenceNumber?
    for edit in edits {
      if let transaction, transaction != edit.transaction, text.groupDepth == 0 {
        if let update = text.finish() { updates.append(update) }
      }
      transaction = edit.transaction
      try text.runner.apply(edit)
    }
    if text.groupDepth == 0, let update = text.finish() { updates.append(update) }
    self = text
    return updates
  }

  private mutating func finish() -> HostedUpdate? {
    let state = runner.state
    return runner.update(GroupCollector.self) { $0.finish(in: state) } ?? nil
  }
}

/// Why a group could not be closed.
public enum GroupError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No group is open, or the groups inside a group do not balance.
  case noOpenGroup

  /// One sentence.
  public var description: String { "groups do not balance: each end needs a begin of its own" }
}
