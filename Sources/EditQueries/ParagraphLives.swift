import EditLog
import EditModel
import EditProtocol
import Projections
import Replay
import TextState

/// A version with the histories of its paragraphs.
struct ParagraphLives: Sendable {
  /// The version.
  var state: TextState
  /// The paragraphs, removed ones included.
  var models: ParagraphModels
  /// The identifiers by the positional rule; nil if they were not asked for.
  var positional: PositionalParagraphs?
  /// The undo steps, which know what paragraphs came back; nil if they were not asked for.
  var undo: UndoTree?
}

extension QueryEngine {
  /// The paragraphs of a version with their histories: those cached for the part before, or a fold of
  /// the history up to the version. Other projections are folded as well if `isPositional` or
  /// `hasRevivals`.
  func lives(
    at expression: PointExpression, _ replay: Replay, isPositional: Bool = false,
    hasRevivals: Bool = false, share: ClosedRange<Double> = 0...1
  ) async throws(ProtocolError) -> ParagraphLives {
    let point = try point(expression, "at")
    try await refuseLost(point, replay.history)
    let last = try sequence(of: point, replay, share: share)
    if let kept: ParagraphLives = takePart(.lives(VersionKey(last, replay))),
      !isPositional || kept.positional != nil, !hasRevivals || kept.undo != nil
    {
      return kept
    }
    var projections: [any Projection] = [ParagraphModels()]
    if isPositional { projections.append(PositionalParagraphs()) }
    if hasRevivals { projections.append(UndoHistory()) }
    let runner = try fold(replay, projections, through: last, share: share)
    guard let models = runner[ParagraphModels.self] else {
      throw ProtocolError(.internalError, "the paragraphs were not folded")
    }
    return ParagraphLives(
      state: runner.state, models: models, positional: runner[PositionalParagraphs.self],
      undo: runner[UndoHistory.self]?.tree)
  }

  /// Caches paragraphs for the next part of an answer.
  func keep(_ lives: ParagraphLives, _ replay: Replay) {
    keepPart(lives, .lives(VersionKey(lives.state.sequence, replay)), replay)
  }
}

extension ParagraphLives {
  /// The details of a paragraph of this version, or of a removed one.
  func details(
    of id: ParagraphID, at index: Int? = nil, hasLife: Bool = true, hasLineage: Bool = true
  ) -> ParagraphDetails {
    let model = models[id]
    return ParagraphDetails(
      positional: index.flatMap { index in positional.map { $0[index] } },
      life: hasLife ? model.map { ParagraphLife($0) } : nil,
      lineage: hasLineage ? model.map { ParagraphLineage($0, undo) } : nil)
  }

  /// A removed paragraph; nil if it lives or never was.
  func dead(_ id: ParagraphID, hasLife: Bool = true, hasLineage: Bool = true) -> DeadParagraph? {
    guard let death = models[id]?.death else { return nil }
    return DeadParagraph(
      id: id, died: ShownStamp(death.stamp), lastIndex: death.index, lastText: death.lastText,
      details: details(of: id, hasLife: hasLife, hasLineage: hasLineage))
  }
}

extension ShownStamp {
  init(_ stamp: EditStamp) {
    self.init(
      sequence: stamp.sequence, time: stamp.time, author: stamp.author, origin: stamp.origin)
  }
}

extension ParagraphLife {
  fileprivate init(_ model: ParagraphModel) {
    self.init(
      born: ShownStamp(model.born), lastEdited: ShownStamp(model.lastEdited),
      editCount: model.editCount, authors: model.authors)
  }
}

extension ParagraphLineage {
  fileprivate init(_ model: ParagraphModel, _ undo: UndoTree?) {
    self.init(
      splitFrom: model.splitFrom, mergedInto: model.mergedInto, children: model.children,
      absorbed: model.absorbed, movedFrom: model.moves.map(\.paragraph), movedTo: model.movedTo,
      revivalOf: undo?.revivalSource(of: model.id), revivedAs: undo?.revival(of: model.id))
  }
}
