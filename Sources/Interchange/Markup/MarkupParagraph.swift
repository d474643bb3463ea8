import EditModel
import Styling

/// A paragraph as HTML and Markdown can carry it.
struct MarkupParagraph {
  /// What the paragraph is.
  let form: Markup.Form
  /// The content, without the terminator: pieces of different styles.
  let pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)]
  /// How a file of Markdown has it; nil if that is not known.
  var spelling: Markup.Spelling?
  /// True if its lines end with CR LF in a file of Markdown.
  var hasCRLF = false
  /// True if it comes between two blocks of lines that would be one without it, and is in no file.
  var isSeparator = false

  /// True if Markdown has no place for it: it is text, and empty.
  var isLeftOut: Bool { form.block == .text && pieces.isEmpty }

  /// A paragraph of a file.
  init(
    _ form: Markup.Form, _ pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)],
    _ spelling: Markup.Spelling?
  ) {
    (self.form, self.pieces, self.spelling) = (form, pieces, spelling)
  }

  /// What is known of a paragraph. All else is noted as lost. O(runs).
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph.
  ///   - isPage: True if a browser opens the file, so that it has no addresses of scripts.
  ///   - losses: Where the rest is noted.
  init(_ paragraph: AttributedText.Paragraph, isPage: Bool, noting losses: inout Losses) {
    let form = Markup.Form(paragraph.attributes, noting: &losses)
    var pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)] = []
    for run in paragraph.content {
      let own = Markup.Form(run.attributes, noting: &losses)
      if own != form {
        for kind in (own.isPlain ? form : own).attributes { losses.note(attribute: kind.name) }
      }
      let style = InlineMarkup(run.attributes, isPage: isPage, noting: &losses)
      if let attachment = Attachment(run.attributes) {
        pieces += Self.pieces(run.units, style, attachment)
      } else if let last = pieces.last, last.style == style {
        pieces[pieces.count - 1].units += run.units
      } else {
        pieces.append((run.units, style))
      }
    }
    (self.form, self.pieces) = (form, pieces)
    let source = paragraph.content.lazy.compactMap { $0.attributes[Markup.spelling] }.first
    spelling = Markup.Spelling(
      pieces.isEmpty ? paragraph.terminatorAttributes[Markup.spelling] : source)
    let attributes = paragraph.content.first?.attributes ?? paragraph.terminatorAttributes
    hasCRLF = attributes[Markup.lineEnds] == .string("crlf")
    guard let first = paragraph.terminator.first else { return }
    if first != 0x0A { losses.changedTerminators += 1 }
    let own = paragraph.terminatorAttributes.removing([
      Markup.spelling, Markup.lineEnds, ParagraphKind.paragraph.name,
    ])
    if own != form.attributes { losses.restyledTerminators += 1 }
  }

  /// The pieces of a run that stands for an attachment, each U+FFFC with the name of it.
  private static func pieces(
    _ units: ArraySlice<UInt16>, _ style: InlineMarkup, _ attachment: Attachment
  ) -> [(units: ArraySlice<UInt16>, style: InlineMarkup)] {
    var named = style
    let name = attachment.name ?? attachment.type ?? "attachment"
    named.image = String(name.map { $0.isNewline ? " " : $0 })
    var pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)] = []
    var start = units.startIndex
    for index in units.indices where units[index] == Attachment.unit {
      if start < index { pieces.append((units[start..<index], style)) }
      pieces.append((units[index...index], named))
      start = index + 1
    }
    if start < units.endIndex { pieces.append((units[start...], style)) }
    return pieces
  }
}
