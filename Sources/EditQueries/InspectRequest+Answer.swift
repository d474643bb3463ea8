import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension InspectRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> InspectAnswer {
    guard place.count <= 1 else {
      throw ProtocolError(
        .invalidParams,
        "params may have one of index, offset, position, paragraph, range and lines")
    }
    let lives = try await engine.lives(at: at, replay, hasRevivals: true)
    let state = lives.state
    if let id = place.paragraph, state.paragraph(id) == nil {
      guard let dead = lives.dead(id) else {
        throw .unknownParagraph(id, of: history.document, at: state.sequence)
      }
      return InspectAnswer(
        sequence: state.sequence, length: state.length, start: nil, paragraphs: [], dead: dead,
        selection: try engine.selection(of: state.sequence, isAfter: true, replay))
    }
    let (offset, indices) = try place.resolved(in: state)
    let first = min(indices.lowerBound + min(skip, indices.count), indices.upperBound)
    let end =
      limit.map { $0 < indices.upperBound - first ? first + $0 : indices.upperBound }
      ?? indices.upperBound
    let rows = state.rows(first..<end) { id, _ in lives.details(of: id) }
    let hasNext = end < indices.upperBound
    if hasNext { engine.keep(lives, replay) }
    return InspectAnswer(
      sequence: state.sequence, length: state.length,
      start: skip == 0 ? InspectedPlace(offset, in: state) : nil, paragraphs: rows,
      runs: runs ? InspectedRuns(of: first..<end, isFirst: skip == 0, in: state) : nil,
      selection: skip == 0
        ? try engine.selection(of: state.sequence, isAfter: true, replay) : [],
      next: hasNext ? end - indices.lowerBound : nil)
  }
}

extension PlaceReference {
  /// The offset of the place, and the indices of its paragraphs.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` with the bounds if the version does not have the place.
  func resolved(
    in state: TextState
  ) throws(ProtocolError) -> (offset: Int, paragraphs: Range<Int>) {
    do throws(PlaceError) {
      if let index {
        return (try state.findParagraph(index: index).range.location, index..<index + 1)
      }
      if let id = paragraph, let found = state.paragraph(id) {
        return (found.descriptor.range.location, found.index..<found.index + 1)
      }
      if let range {
        let paragraphs = try state.findParagraphs(in: range)
        return (range.location, paragraphs.startIndex..<paragraphs.endIndex)
      }
      if let lines {
        let first = try state.findOffset(LinePosition(line: lines.lowerBound - 1, column: 0))
        let last = try state.findOffset(LinePosition(line: lines.upperBound - 1, column: 0))
        let end = state.lineContentRange(state.line(at: last)).upperBound
        let paragraphs = try state.findParagraphs(in: UTF16Range(first..<end))
        return (first, paragraphs.startIndex..<state.paragraphIndex(at: end) + 1)
      }
      var offset = offset
      if let position {
        offset = try state.findOffset(
          LinePosition(line: position.line - 1, column: position.column - 1))
      }
      guard let offset else { return (0, 0..<state.paragraphCount) }
      let index = try state.findParagraph(offset: offset).index
      return (offset, index..<index + 1)
    } catch { throw ProtocolError(.unknownPoint, "\(error)") }
  }
}

extension InspectedRuns {
  /// The runs of paragraphs of a version. If they are not the first of a place, runs that begin before them
  /// are left out. O(runs · log n).
  fileprivate init(of paragraphs: Range<Int>, isFirst: Bool, in state: TextState) {
    self.init(attributes: [], identifiers: [])
    guard !paragraphs.isEmpty else { return }
    for index in paragraphs {
      let paragraph = state.paragraph(at: index)
      guard !paragraph.range.isEmpty else { continue }
      identifiers.append(IdentifierRun(id: paragraph.id, range: paragraph.range))
    }
    let start = state.paragraph(at: paragraphs.lowerBound).range.location
    let end = state.paragraph(at: paragraphs.upperBound - 1).range.upperBound
    var (offset, before): (Int, AttributeSet) = (start, [:])
    if !isFirst, start > 0 { before = state.attributes(at: start - 1).attributes }
    while offset < end {
      let run = state.attributes(at: offset)
      for (name, value) in run.attributes where before[name] != value {
        let range = state.attribute(name, at: offset).range
        let touched = state.paragraphs(in: range)
        let (lower, upper) = (touched.first?.range.location, touched.last?.range.upperBound)
        attributes.append(
          InspectedRun(
            InspectedAttribute(name: name, value: value, range: range),
            expanded: UTF16Range((lower ?? range.location)..<(upper ?? range.upperBound))))
      }
      (offset, before) = (run.range.upperBound, run.attributes)
    }
  }
}

extension InspectedPlace {
  fileprivate init(_ offset: Int, in state: TextState) {
    let position = state.position(at: offset)
    let here = offset < state.length
    // A caret at the start has the attributes of the first unit.
    let before = state.length == 0 ? nil : max(0, offset - 1)
    self.init(
      offset: offset, position: TextPosition(line: position.line + 1, column: position.column + 1),
      attributes: here ? Self.attributes(at: offset, state) : [],
      attributeRange: here ? state.attributes(at: offset).range : nil,
      attributesBefore: before.map { Self.attributes(at: $0, state) } ?? [])
  }

  /// The attributes of a unit by name, a link first.
  private static func attributes(at offset: Int, _ state: TextState) -> [InspectedAttribute] {
    let all = state.attributes(at: offset).attributes.map { name, value in
      InspectedAttribute(
        name: name, value: value, range: state.attribute(name, at: offset).range)
    }
    return all.filter { $0.name == "link" } + all.filter { $0.name != "link" }
  }
}

extension ProtocolError {
  /// There is no such paragraph, living or removed.
  static func unknownParagraph(
    _ id: ParagraphID, of document: DocumentID, at sequence: SequenceNumber
  ) -> Self {
    Self(
      .unknownPoint,
      """
      \(document.shown) has no paragraph \(id) up to version \(sequence); `editlog paragraphs --dead` \
      lists all of them
      """)
  }

  /// A version does not have this paragraph, which may have been in another one.
  static func absentParagraph(
    _ id: ParagraphID, of document: DocumentID, at sequence: SequenceNumber
  ) -> Self {
    Self(
      .unknownPoint,
      """
      version \(sequence) of \(document.shown) has no paragraph \(id); `editlog paragraphs --dead` says \
      when a removed one was there, `editlog restore --paragraph` brings it back
      """)
  }
}
