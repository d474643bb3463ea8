import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension ParagraphsRequest: HistoryQuestion {
  package var isClosed: Bool { part.at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ParagraphsAnswer {
    guard details == Details() else { return try await detailed(engine, replay) }
    let state = try await engine.state(at: part.at, "at", replay)
    let (rows, count) = try rows(of: state) { _, _ in ParagraphDetails() }
    let end = part.end(of: count)
    if end < count { engine.keep(state, replay) }
    return ParagraphsAnswer(
      sequence: state.sequence, paragraphs: rows, next: end < count ? end : nil)
  }

  /// The answer with details. Removed paragraphs are counted after the others.
  private func detailed(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ParagraphsAnswer {
    let lives = try await engine.lives(
      at: part.at, replay, isPositional: details.positional, hasRevivals: details.lineage)
    let (rows, livingCount) = try rows(of: lives.state) { [details] id, index in
      lives.details(
        of: id, at: details.positional ? index : nil, hasLife: details.life,
        hasLineage: details.lineage)
    }
    let deadCount = details.dead ? lives.models.deadCount : 0
    let count = livingCount + deadCount
    let end = part.end(of: count)
    let bounds = min(part.offset, count)..<end
    let graves = max(0, bounds.lowerBound - livingCount)..<max(0, bounds.upperBound - livingCount)
    if end < count { engine.keep(lives, replay) }
    return ParagraphsAnswer(
      sequence: lives.state.sequence, paragraphs: rows,
      dead: AnswerList(count: graves.count) { [details] range in
        range.compactMap {
          lives.dead(
            lives.models.dead(at: graves.lowerBound + $0), hasLife: details.life,
            hasLineage: details.lineage)
        }
      }, next: end < count ? end : nil)
  }

  /// The rows of this part, and the number of rows of all parts.
  private func rows(
    of state: TextState, _ details: @escaping @Sendable (ParagraphID, Int) -> ParagraphDetails
  ) throws(ProtocolError) -> (rows: AnswerList<ShownParagraph>, count: Int) {
    guard let range else {
      let count = state.paragraphCount
      let bounds = min(part.offset, count)..<part.end(of: count)
      return (state.rows(bounds, details), count)
    }
    do throws(PlaceError) {
      let pieces = try state.paragraphPieces(of: range, emptyLast: EmptyLastPiece(ranges))
      let bounds = min(part.offset, pieces.count)..<part.end(of: pieces.count)
      let rows = AnswerList(count: bounds.count) { rows in
        rows.map { number in
          let piece = pieces[bounds.lowerBound + number]
          return state.row(piece.index, piece.descriptor, details)
        }
      }
      return (rows, pieces.count)
    } catch { throw ProtocolError(.unknownPoint, "\(error)") }
  }
}

extension TextState {
  /// The rows of some paragraphs, which are made while they are read.
  func rows(
    _ indices: Range<Int>, _ details: @escaping @Sendable (ParagraphID, Int) -> ParagraphDetails
  ) -> AnswerList<ShownParagraph> {
    AnswerList(count: indices.count) { rows in
      let part = indices.lowerBound + rows.lowerBound..<indices.lowerBound + rows.upperBound
      return zip(part, paragraphs[part].map { $0 }).map { row($0, $1, details) }
    }
  }

  fileprivate func row(
    _ index: Int, _ paragraph: ParagraphDescriptor,
    _ details: (ParagraphID, Int) -> ParagraphDetails
  ) -> ShownParagraph {
    ShownParagraph(
      index: index, id: paragraph.id, range: paragraph.range, text: text(in: paragraph.range),
      details: details(paragraph.id, index))
  }
}

extension VersionPart {
  /// The index after the last element of this part, of `count` elements.
  fileprivate func end(of count: Int) -> Int {
    let first = min(offset, count)
    return limit.map { $0 < count - first ? first + $0 : count } ?? count
  }
}

extension EmptyLastPiece {
  fileprivate init(_ ranges: ParagraphsRequest.Ranges) {
    self =
      switch ranges {
      case .keep: .keep
      case .drop: .drop
      case .merge: .merge
      }
  }
}
