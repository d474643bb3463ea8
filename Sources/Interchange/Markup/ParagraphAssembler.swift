import EditModel
import Styling

/// Joins paragraphs of known kinds to a text: each but the last ends with an LF, which has the
/// attributes of the paragraph's kind.
struct ParagraphAssembler {
  private var text = AttributedText()
  /// The kind of the last paragraph; nil if there is none.
  private var last: Markup.Form?
  /// The attributes of all units of the last paragraph.
  private var attributes = AttributeSet.empty
  /// What the last paragraph has no units for.
  private var rest = AttributeSet.empty
  /// The numbers of the items so far.
  private(set) var counters = ListCounters()

  /// True if the last paragraph has units.
  private var hasUnits = true

  /// The text so far, which ends with the last paragraph. One without units has a terminator if it is of a kind
  /// of its own or has a spelling, which it could not have otherwise.
  var result: AttributedText {
    guard let last, !hasUnits, !last.isPlain || !rest.isEmpty else { return text }
    var text = text
    text.append(CollectionOfOne(0x0A), attributes.merging(rest))
    return text
  }

  /// Begins a block of code. Neighbours of the same form would be one block, so an empty paragraph comes
  /// between them.
  mutating func beginCode(_ form: Markup.Form) {
    if last == form {
      add([(units: [UInt16], style: InlineMarkup)](), Markup.Form(.text, quote: form.quote))
    }
  }

  /// Adds a paragraph. O(its length).
  ///
  /// - Parameters:
  ///   - pieces: The content, without terminators.
  ///   - form: The kind.
  ///   - spelling: How a file of Markdown has it, if that is not as usual.
  ///   - hasCRLF: True if its lines end with CR LF in a file of Markdown.
  mutating func add<Units: Collection<UInt16>>(
    _ pieces: [(units: Units, style: InlineMarkup)], _ form: Markup.Form,
    _ spelling: Markup.Spelling? = nil, hasCRLF: Bool = false
  ) {
    if last != nil { text.append(CollectionOfOne(0x0A), attributes.merging(rest)) }
    last = form
    rest = spelling?.attributes ?? .empty
    hasUnits = pieces.contains { !$0.units.isEmpty }
    _ = counters.count(form.block.kind, start: form.block.start)
    attributes = hasCRLF ? form.attributes.merging(Markup.crlfLineEnds) : form.attributes
    for piece in pieces where !piece.units.isEmpty {
      text.append(piece.units, attributes.merging(piece.style.attributes).merging(rest))
      rest = .empty
    }
  }
}
