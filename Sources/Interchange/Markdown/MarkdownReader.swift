import EditModel
import Styling

/// Reads a styled text from Markdown: paragraphs, headings, quotes, lists, fenced and indented code, and
/// the styles inside paragraphs that `MarkdownInline` knows.
///
/// It is the part of CommonMark that `Markup` has styles for. A second paragraph of a list's item is a
/// paragraph, and a quote in an item is a quote around it. Front matter, tables, HTML, rules and the addresses of
/// references are lines that stay as they are written. How the rest is written stays with the text, where a writer would
/// write it otherwise, so that a file that is not edited comes back as it was. O(n).
public enum MarkdownReader {
  /// The text of a document.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8 or too long.
  public static func text(_ bytes: [UInt8]) throws(InterchangeError) -> AttributedText {
    try file(bytes).text
  }

  /// The text of a document, and what a text cannot carry of it.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last, and the losses.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8 or too long.
  public static func file(
    _ bytes: [UInt8]
  ) throws(InterchangeError) -> (text: AttributedText, losses: Losses) {
    try InterchangeError.checkUTF8(bytes)
    var (losses, lines) = (Losses(), bytes)
    if bytes.contains(0x0D) {
      lines = LineEnds.withLineFeeds(bytes)
      losses.changedLineEnds = bytes.count { $0 == 0x0D }
    }
    var blocks = MarkdownBlocks()
    blocks.read(lines)
    blocks.finish()
    losses.leftItems = blocks.leftItemCount
    let paragraphs = paragraphs(blocks, in: lines)
    var writer = MarkdownWriter()
    let (_, spellings) = writer.write(paragraphs)
    losses.respelledBlocks = writer.respelledCount
    var assembler = ParagraphAssembler()
    for (paragraph, spelling) in zip(paragraphs, spellings) {
      assembler.add(paragraph.pieces, paragraph.form, spelling)
    }
    let text = assembler.result
    guard text.count <= EditAction.textLengthMax else {
      throw InterchangeError(
        "the text has more than \(EditAction.textLengthMax) UTF-16 units", at: bytes.count,
        in: bytes)
    }
    return (text, losses)
  }

  /// The paragraphs of a file, each with all of its bytes.
  private static func paragraphs(
    _ blocks: MarkdownBlocks, in bytes: [UInt8]
  ) -> [MarkupParagraph] {
    var (paragraphs, start): ([MarkupParagraph], Int) = ([], 0)
    for (index, block) in blocks.ended.enumerated() {
      if block.isFirst, paragraphs.last?.form == block.form {
        var separator = MarkupParagraph(Markup.Form(.text, quote: block.form.quote), [], nil)
        separator.isSeparator = true
        paragraphs.append(separator)
      }
      let end = index + 1 == blocks.ended.count ? bytes.count : block.end
      let spelling = Markup.Spelling(
        before: Array(bytes[start..<block.place.lowerBound]), text: Array(bytes[block.place]),
        after: Array(bytes[block.place.upperBound..<end]))
      paragraphs.append(
        MarkupParagraph(block.form, block.pieces(blocks.references), spelling))
      start = end
    }
    return paragraphs
  }
}

extension MarkdownBlocks.Block {
  /// The content in pieces of different styles. O(n).
  func pieces(
    _ references: LinkReferences
  ) -> [(units: ArraySlice<UInt16>, style: InlineMarkup)] {
    if form.block.isLines {
      let units = Array(String(decoding: content, as: UTF8.self).utf16)
      return units.isEmpty ? [] : [(units[...], InlineMarkup())]
    }
    var inline = MarkdownInline(content, references)
    var pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)] = []
    for piece in inline.pieces() {
      if pieces.last?.style == piece.style {
        pieces[pieces.count - 1].units += piece.units
      } else {
        pieces.append((piece.units[...], piece.style))
      }
    }
    return pieces
  }
}
