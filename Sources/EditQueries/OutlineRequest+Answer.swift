import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension OutlineRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> OutlineAnswer {
    let state = try await engine.state(at: at, "at", replay)
    let outline = Outline(of: state, rule: key.map { .attribute($0) } ?? .headings)
    let all = outline.sections
    let end = min(all.count, offset + min(limit, max(0, all.count - offset)))
    let part = offset < end ? all[offset..<end] : []
    // Who edited a paragraph last is known only from the edits.
    let runner = try engine.fold(replay, [ParagraphModels()], through: state.sequence)
    let models = runner[ParagraphModels.self] ?? ParagraphModels()
    var sections: [ShownSection] = []
    for section in part { sections.append(try shown(section, state, models, replay)) }
    if end < all.count { engine.keep(state, replay) }
    return OutlineAnswer(
      sequence: state.sequence, sections: sections,
      next: end < all.count && offset < end ? end : nil)
  }

  private func shown(
    _ section: Section, _ state: TextState, _ models: ParagraphModels, _ replay: Replay
  ) throws(ProtocolError) -> ShownSection {
    let lastEdit =
      section.paragraphs
      .map { models[state.paragraph(at: $0).id]?.lastEdited.sequence ?? 0 }.max() ?? 0
    return ShownSection(
      heading: section.heading?.prefix(Self.headingLengthMax), id: section.id,
      level: section.level, paragraph: section.paragraphs.lowerBound,
      paragraphCount: section.paragraphs.count, range: section.range, words: section.wordCount,
      characters: section.characterCount, firstEdit: section.firstEdit,
      firstTime: try replay.history.time(of: section.firstEdit), lastEdit: lastEdit,
      lastTime: try replay.history.time(of: lastEdit))
  }
}
