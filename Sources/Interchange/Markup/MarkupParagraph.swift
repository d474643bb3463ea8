import EditModel

/// A paragraph as HTML and Markdown can carry it.
struct MarkupParagraph {
  /// What the paragraph is.
  let block: Markup.Block
  /// The content, without the terminator: pieces of different styles.
  let pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)]

  /// What is known of a paragraph. All else is noted as lost. O(runs).
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph.
  ///   - losses: Where the rest is noted.
  init(_ paragraph: AttributedText.Paragraph, noting losses: inout Losses) {
    let block = Markup.Block(paragraph.attributes, noting: &losses)
    var pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)] = []
    for run in paragraph.content {
      let own = Markup.Block(run.attributes, noting: &losses)
      if own != block {
        for kind in (own == .text ? block : own).attributes { losses.note(attribute: kind.name) }
      }
      let style = InlineMarkup(run.attributes, noting: &losses)
      pieces.append((run.units, style))
    }
    (self.block, self.pieces) = (block, pieces)
    guard let first = paragraph.terminator.first else { return }
    if first != 0x0A { losses.changedTerminators += 1 }
    if paragraph.terminatorAttributes != block.attributes { losses.restyledTerminators += 1 }
  }
}
