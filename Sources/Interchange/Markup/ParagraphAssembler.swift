import EditModel
import Styling

/// Joins paragraphs of known kinds to a text: each but the last ends with an LF, which has the
/// attributes of the paragraph's kind.
struct ParagraphAssembler {
  private var text = AttributedText()
  /// The kind of the last paragraph; nil if there is none.
  private var last: Markup.Form?
  /// The numbers of the items so far.
  private(set) var counters = ListCounters()

  /// The text so far, which ends with the last paragraph.
  var result: AttributedText { text }

  /// Begins a block of code. Neighbours of the same form would be one block, so an empty paragraph comes
  /// between them.
  mutating func beginCode(_ form: Markup.Form) {
    if last == form { add([], Markup.Form(.text, quote: form.quote)) }
  }

  /// Adds a paragraph. O(its length).
  ///
  /// - Parameters:
  ///   - pieces: The content, without terminators.
  ///   - form: The kind.
  mutating func add(_ pieces: [(units: [UInt16], style: InlineMarkup)], _ form: Markup.Form) {
    if let last { text.append(CollectionOfOne(0x0A), last.attributes) }
    last = form
    _ = counters.count(form.block.kind, start: form.block.start)
    let attributes = form.attributes
    for piece in pieces where !piece.units.isEmpty {
      let own = piece.style.attributes
      text.append(piece.units, own.isEmpty ? attributes : attributes.merging(own))
    }
  }
}
