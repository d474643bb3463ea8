import EditModel
import Styling

/// Joins paragraphs of known kinds to a text: each but the last ends with an LF, which has the
/// attributes of the paragraph's kind.
struct ParagraphAssembler {
  private var text = AttributedText()
  /// The kind of the last paragraph; nil if there is none.
  private var last: Markup.Block?
  /// The numbers of the items so far.
  private(set) var counters = ListCounters()

  /// The text so far, which ends with the last paragraph.
  var result: AttributedText { text }

  /// Adds a paragraph. O(its length).
  ///
  /// - Parameters:
  ///   - pieces: The content, without terminators.
  ///   - block: The kind.
  mutating func add(_ pieces: [(units: [UInt16], style: InlineMarkup)], _ block: Markup.Block) {
    if let last { text.append(CollectionOfOne(0x0A), last.attributes) }
    last = block
    _ = counters.count(block.kind, start: block.start)
    let attributes = block.attributes
    for piece in pieces where !piece.units.isEmpty {
      let own = piece.style.attributes
      text.append(piece.units, own.isEmpty ? attributes : attributes.merging(own))
    }
  }
}
