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
    let lines = LineEnds.withLineFeeds(bytes)
    var (losses, blocks) = (Losses(), MarkdownBlocks())
    blocks.read(lines)
    blocks.finish()
    losses.leftItems = blocks.leftItemCount
    let paragraphs = paragraphs(blocks, in: lines, of: bytes, noting: &losses)
    var writer = MarkdownWriter()
    let (_, spellings) = writer.write(paragraphs)
    losses.respelledBlocks = writer.respelledCount
    var assembler = ParagraphAssembler()
    for (paragraph, spelling) in zip(paragraphs, spellings) {
      assembler.add(paragraph.pieces, paragraph.form, spelling, hasCRLF: paragraph.hasCRLF)
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
  ///
  /// - Parameters:
  ///   - blocks: What was read.
  ///   - lines: What it was read from: `file` with LF as the end of each line.
  ///   - file: The file.
  ///   - losses: Where line ends are noted that do not come back.
  private static func paragraphs(
    _ blocks: MarkdownBlocks, in lines: [UInt8], of file: [UInt8], noting losses: inout Losses
  ) -> [MarkupParagraph] {
    var (paragraphs, start): ([MarkupParagraph], Int) = ([], 0)
    var ends = LineEnds(of: file)
    for (index, block) in blocks.ended.enumerated() {
      if block.isFirst, paragraphs.last?.form == block.form {
        var separator = MarkupParagraph(Markup.Form(.text, quote: block.form.quote), [], nil)
        separator.isSeparator = true
        paragraphs.append(separator)
      }
      let end = index + 1 == blocks.ended.count ? lines.count : block.end
      let spelling = Markup.Spelling(
        before: Array(lines[start..<block.place.lowerBound]), text: Array(lines[block.place]),
        after: Array(lines[block.place.upperBound..<end]))
      var paragraph = MarkupParagraph(block.form, block.pieces(blocks.references), spelling)
      let before = paragraphs.last { !$0.isSeparator }?.hasCRLF
      // Blank lines have the end of the block before them.
      let gap = ends.next(before == nil ? 0 : LineEnds.blankLineCount(lines[start..<end]))
      let own = ends.next(lines[start..<end].count { $0 == 0x0A } - gap.count)
      // The lines of one block all have the end of the first.
      let isMore = block.form.block.isLines && paragraphs.last?.form == block.form
      let isAsBefore = isMore || own.count == 0
      paragraph.hasCRLF = isAsBefore ? before ?? false : own.pairCount == own.count
      losses.changedLineEnds += gap.changeCount(toPairs: before ?? false)
      losses.changedLineEnds += own.changeCount(toPairs: paragraph.hasCRLF)
      paragraphs.append(paragraph)
      start = end
    }
    let rest = ends.next(.max)
    if paragraphs.isEmpty, !lines.isEmpty {
      // Blank lines only: an empty paragraph has them.
      let spelling = Markup.Spelling(before: lines, text: nil, after: nil)
      var paragraph = MarkupParagraph(Markup.Form(.text), [], spelling)
      paragraph.hasCRLF = rest.count > 0 && rest.pairCount == rest.count
      paragraphs.append(paragraph)
    }
    losses.changedLineEnds += rest.changeCount(toPairs: paragraphs.last?.hasCRLF ?? false)
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
