import EditModel
import TextState

extension StyleRules {
  /// The empty rows around styled paragraphs: those of blocks, and those between paragraphs by their kinds.
  ///
  /// The space between two paragraphs is the largest of the margin after the one, the margin before the
  /// other, and the empty paragraphs between them. O(paragraphs + runs of the decorated attributes).
  ///
  /// - Parameter text: The styled paragraphs.
  /// - Returns: The rows around each.
  public func spacing(of text: StyledText) -> [ParagraphSpacing] {
    guard let first = text.paragraphs.first else { return [] }
    let start = max(0, first - 1)
    let raw = margins(of: start..<text.paragraphs.upperBound, in: text.state)
    var result = raw
    for (index, paragraph) in zip(raw.indices, start...) {
      let gapAfter = gapCount(paragraph + 1, 1, max: raw[index].marginAfter, in: text.state)
      result[index].marginAfter -= gapAfter
      let marginBefore = raw[index].marginBefore
      guard marginBefore > 0 else { continue }
      let gapBefore = gapCount(paragraph - 1, -1, max: marginBefore, in: text.state)
      result[index].collapse(with: gapBefore)
      let previous = paragraph - gapBefore - 1
      guard gapBefore < marginBefore, previous >= 0 else { continue }
      let marginAfter =
        previous >= start
        ? raw[previous - start].marginAfter
        : (margins(of: previous..<previous + 1, in: text.state).first?.marginAfter ?? 0)
      result[index].collapse(with: max(0, marginAfter - gapBefore))
    }
    return Array(result[(first - start)...])
  }

  private func margins(of paragraphs: Range<Int>, in state: TextState) -> [ParagraphSpacing] {
    var spacing = decorations.blockSpacing(of: paragraphs, in: state)
    kindSpacing.add(
      to: &spacing, of: paragraphs, in: state, derivesKinds: grammar != nil || derivesKinds)
    return spacing
  }

  /// The number of empty paragraphs from one on, `max` at most. The empty row at the text's end is none, nor
  /// is a paragraph that is decorated.
  private func gapCount(_ first: Int, _ step: Int, max: Int, in state: TextState) -> Int {
    var count = 0
    while count < max {
      let index = first + step * count
      guard index >= 0, index + 1 < state.paragraphCount else { break }
      let paragraph = state.paragraph(at: index)
      guard state.contentRange(of: paragraph).isEmpty,
        !decorations.decorates(state.attributes(at: paragraph.range.location).attributes)
      else { break }
      count += 1
    }
    return count
  }
}
