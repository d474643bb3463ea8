import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension ParagraphHistoryRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  /// Folds the history twice: to find the paragraphs from which the text came, and to collect their
  /// versions. The first fold is cached for the next part.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ParagraphHistoryAnswer {
    guard place.count == 1, place.index == nil, place.offset == nil, place.position == nil else {
      throw ProtocolError(.invalidParams, "params needs one of paragraph, range and lines")
    }
    let lives = try await engine.lives(at: at, replay, share: 0...0.5)
    let state = lives.state
    let line = ParagraphLine(of: try paragraphs(lives), in: lives.models)
    let last = before.map { min($0 - 1, state.sequence) } ?? state.sequence
    let projection = ParagraphVersions(
      of: line, lives.models, limits: ParagraphVersions.Limits(count: limit))
    let runner = try engine.fold(replay, [projection], through: last, share: 0.5...1)
    guard var found = runner[ParagraphVersions.self] else {
      throw ProtocolError(.internalError, "the versions were not folded")
    }
    found.finish(at: runner.state)
    let versions = found.versions.filter { $0.sequences.upperBound > after }
    let hasNext = found.hasOlder && versions.count == found.versions.count
    if hasNext { engine.keep(lives, replay) }
    return ParagraphHistoryAnswer(
      sequence: state.sequence, versions: versions.reversed().map(ShownParagraphVersion.init),
      next: hasNext ? versions.first?.sequences.lowerBound : nil)
  }

  private func paragraphs(_ lives: ParagraphLives) throws(ProtocolError) -> [ParagraphID] {
    if let id = place.paragraph {
      guard lives.models[id] != nil else {
        throw .unknownParagraph(id, of: history.document, at: lives.state.sequence)
      }
      return [id]
    }
    return lives.state.paragraphs[try place.resolved(in: lives.state).paragraphs].map(\.id)
  }
}

extension ShownParagraphVersion {
  fileprivate init(_ version: ParagraphVersion) {
    self.init(
      first: version.sequences.lowerBound, stamp: ShownStamp(version.stamp),
      editCount: version.editCount,
      steps: version.steps.map {
        Step(kind: $0.kind.rawValue, paragraph: $0.paragraph, related: $0.related)
      }, text: version.text, changes: Self.changes(version))
  }

  private static func changes(_ version: ParagraphVersion) -> [Change] {
    let old = version.oldText.units
    var shift = 0
    return TextDifference.replacements(from: version.oldText, to: version.text).map { action in
      // The range is that of the text after the replacements before it.
      let start = action.range.location - shift
      shift += action.changeInLength
      return Change(
        location: action.range.location,
        removed: UTF16Text(units: Array(old[start..<start + action.range.length])),
        inserted: action.replacement ?? UTF16Text())
    }
  }
}
