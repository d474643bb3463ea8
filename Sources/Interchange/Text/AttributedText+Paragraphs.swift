import EditModel
import Styling

extension AttributedText {
  /// A paragraph: its content, and the terminator at its end.
  struct Paragraph {
    /// The runs of the content, in order, with their units.
    var content: [(units: ArraySlice<UInt16>, attributes: AttributeSet)] = []
    /// The units of the terminator; empty for the last paragraph.
    var terminator: ArraySlice<UInt16> = []
    /// The attributes of the terminator's first unit.
    var terminatorAttributes = AttributeSet.empty

    /// True if there is no content.
    var isEmpty: Bool { content.isEmpty }
    /// The attributes of the first unit, the terminator's if there is no content.
    var attributes: AttributeSet { content.first?.attributes ?? terminatorAttributes }
  }

  /// Sets the attribute of `ParagraphKind.paragraph` on the paragraphs without a kind. Terminators must be LF, as
  /// those of a reader are. O(n).
  package mutating func markParagraphs() {
    var text = AttributedText()
    forEachParagraph { paragraph in
      let attributes = paragraph.attributes
      let isText =
        ParagraphKind(attributes) == .paragraph && attributes[Markup.rawKind] == nil
      let mark: AttributeSet = isText ? [ParagraphKind.paragraph.name: .bool(true)] : .empty
      for (units, own) in paragraph.content { text.append(units, own.merging(mark)) }
      text.append(paragraph.terminator, paragraph.terminatorAttributes.merging(mark))
    }
    self = text
  }

  /// Calls `body` with each paragraph, in order. There is one more than terminators. O(n).
  func forEachParagraph(_ body: (Paragraph) -> Void) {
    var paragraph = Paragraph()
    // True if the unit before was a CR, which an LF may continue.
    var isAfterCR = false
    forEachRun { units, attributes in
      var start = units.startIndex
      var index = start
      while index < units.endIndex {
        let unit = units[index]
        if isAfterCR {
          isAfterCR = false
          if unit == 0x0A { paragraph.terminator = [0x0D, 0x0A] }
          body(paragraph)
          paragraph = Paragraph()
          if unit == 0x0A {
            index += 1
            start = index
            continue
          }
        }
        if unit == 0x0A || unit == 0x0D || unit == 0x2029 {
          if start < index { paragraph.content.append((units[start..<index], attributes)) }
          paragraph.terminator = [unit]
          paragraph.terminatorAttributes = attributes
          start = index + 1
          isAfterCR = unit == 0x0D
          if !isAfterCR {
            body(paragraph)
            paragraph = Paragraph()
          }
        }
        index += 1
      }
      if start < units.endIndex { paragraph.content.append((units[start...], attributes)) }
    }
    if isAfterCR {
      body(paragraph)
      paragraph = Paragraph()
    }
    body(paragraph)
  }
}
