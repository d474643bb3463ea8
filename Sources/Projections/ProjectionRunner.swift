public import EditModel
public import TextState

/// Folds a history into several projections at once. Each edit is applied to the state once, and
/// every projection gets the same change. Stages may add attributes to the state before the
/// projections read it.
public struct ProjectionRunner: Sendable {
  /// The version after the last edit, with the attributes that the stages added.
  public private(set) var state: TextState
  /// The projections, in the order in which they are called.
  public private(set) var projections: [any Projection]
  /// The stages, in the order in which they are called.
  public private(set) var stages: [any EditStage] = []
  private let capturesRemoved: Bool

  /// A runner whose projections are at the version `state`.
  public init(from state: TextState = TextState(), _ projections: [any Projection]) {
    (self.state, self.projections) = (state, projections)
    capturesRemoved = projections.contains { type(of: $0).needsRemovedContent }
  }

  /// A runner whose projections are at the version `state`, after the stages have fixed the
  /// attributes of all its paragraphs.
  ///
  /// - Throws: `ProjectionError` if a stage returned what it must not.
  public init(
    from state: TextState = TextState(), _ projections: [any Projection],
    stages: [any EditStage]
  ) throws(ProjectionError) {
    self.init(from: state, projections)
    self.stages = stages
    var pass = StagePass(startingAt: state)
    try pass.run(&self.stages)
    self.state = pass.state
  }

  /// The first projection of this type; nil if there is none. O(number of projections).
  public subscript<P: Projection>(type: P.Type) -> P? {
    for projection in projections {
      if let projection = projection as? P { return projection }
    }
    return nil
  }

  /// Calls `body` with the first projection of this type, to be changed in place, and returns its
  /// result; nil if there is none. O(number of projections), besides `body`.
  package mutating func update<P: Projection, Result>(
    _ type: P.Type, _ body: (inout P) -> Result
  ) -> Result? {
    for index in projections.indices {
      guard var projection = projections[index] as? P else { continue }
      // A second reference would make a change copy the projection's arrays.
      projections[index] = Vacancy()
      defer { projections[index] = projection }
      return body(&projection)
    }
    return nil
  }

  /// Holds the place of a projection that is being changed.
  private struct Vacancy: Projection {
    static let version: UInt32 = 0
    mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {}
  }

  /// Folds one entry. It costs the edit, plus the cost of each stage and projection.
  ///
  /// - Throws: `ProjectionError` if the entry does not follow the state or does not fit it, or if a
  ///   stage returned what it must not. State and projections are not changed then.
  public mutating func apply(_ entry: consuming HistoryEntry) throws(ProjectionError) {
    switch consume entry {
    case .edit(let edit): try fold(edit)
    case .event(let event): try apply(event)
    }
  }

  /// Folds one edit as `apply(_ entry:)`, and returns its change.
  @discardableResult
  public mutating func apply(_ edit: consuming Edit) throws(ProjectionError) -> Change {
    try fold(edit).change
  }

  @discardableResult
  private mutating func fold(_ edit: consuming Edit) throws(ProjectionError) -> StagedEdit {
    let sequence = edit.sequence
    guard sequence == state.sequence + 1 else {
      throw .outOfOrder(expected: state.sequence + 1, found: sequence)
    }
    let staged: StagedEdit
    if stages.isEmpty {
      let change: Change
      do throws(EditError) {
        try edit.action.validate(textLength: state.length)
        for index in projections.indices { projections[index].willApply(edit, to: state) }
        change = try state.apply(edit.action, capturingRemoved: capturesRemoved)
      } catch {
        throw .refused(sequence: sequence, error)
      }
      staged = StagedEdit(edit, change)
    } else {
      staged = try applyStages(edit)
    }
    for index in projections.indices { projections[index].apply(staged, state) }
    return staged
  }

  /// Applies an edit, with the stages before and after it.
  private mutating func applyStages(_ edit: Edit) throws(ProjectionError) -> StagedEdit {
    var next = state
    let change: Change
    do throws(EditError) {
      try edit.action.validate(textLength: state.length)
      for index in stages.indices { stages[index].willEdit(edit, to: state) }
      change = try next.apply(edit.action, capturingRemoved: capturesRemoved)
    } catch {
      throw .refused(sequence: edit.sequence, error)
    }
    var pass = StagePass(StagedEdit(edit, change), next)
    try pass.run(&stages)
    // Only now is it certain that the edit is accepted.
    for index in projections.indices { projections[index].willApply(edit, to: state) }
    state = pass.state
    return pass.edit ?? StagedEdit(edit, change)
  }

  /// Folds one event; as `apply(_ entry:)`.
  public mutating func apply(_ event: HistoryEvent) throws(ProjectionError) {
    guard event.after == state.sequence else {
      throw .outOfOrder(expected: state.sequence, found: event.after)
    }
    for index in projections.indices { projections[index].apply(event, state) }
  }

  /// Folds entries in order, up to the first that is refused; as `apply(_ entry:)`.
  public mutating func apply(
    contentsOf entries: some Sequence<HistoryEntry>
  ) throws(ProjectionError) {
    for entry in entries { try apply(entry) }
  }
}
