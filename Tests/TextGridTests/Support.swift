import EditModel
import TestSupport
import TextState

@testable import TextGrid

/// A text with attributes in plain arrays: slow, and plainly right.
struct ArrayStorage: AttributedStorage {
  var all: [UInt16] = []
  var sets: [AttributeSet] = []

  init(_ text: UTF16Text = UTF16Text()) {
    all = text.units
    sets = all.map { _ in .empty }
  }

  var length: Int { all.count }

  func units(in range: UTF16Range) -> [UInt16] { Array(all[range.bounds]) }

  func attributes(at offset: Int) -> (attributes: AttributeSet, range: UTF16Range) {
    let set = sets[offset]
    let lower = sets[..<offset].lastIndex { $0 != set }.map { $0 + 1 } ?? 0
    let upper = sets[offset...].firstIndex { $0 != set } ?? length
    return (set, UTF16Range(lower..<upper))
  }

  mutating func replaceCharacters(in range: UTF16Range, with text: UTF16Text) throws(EditError) {
    try EditAction(replacing: range, with: text).validate(textLength: length)
    let bounds = range.bounds
    let inherited =
      !range.isEmpty
      ? sets[range.location]
      : range.location > 0
        ? sets[range.location - 1] : range.location < length ? sets[range.location] : .empty
    all.replaceSubrange(bounds, with: text.units)
    sets.replaceSubrange(bounds, with: text.units.map { _ in inherited })
  }

  mutating func setAttributes(_ attributes: AttributeSet, in range: UTF16Range) throws(EditError) {
    try EditAction(range: range, replacement: nil, attributes: .remove([]))
      .validate(textLength: length)
    for index in range.bounds { sets[index] = attributes }
  }
}

extension TextState {
  /// The version with this text.
  init(text: UTF16Text) throws {
    self.init()
    try apply(EditAction(replacing: UTF16Range(0..<0), with: text))
  }
}

/// Random text of all planes: words, spaces, marks, pairs and halves of them, emoji, controls.
struct TextGenerator {
  var random: SplitMix64

  private static let pieces: [[UInt16]] =
    [
      "a ", "word ", "longer-word ", "\t", "  ", "\n", "\r", "\r\n", "\u{2029}", "\u{2028}",
      "\u{B}",
      "e\u{301}", "\u{301}", "日本語", "、", "한글", "👩‍👩‍👧‍👦", "🇩🇪", "🇩", "👍🏽", "1️⃣", "❤️", "ß", "ﬃ",
      "Σας ", "ΟΔΟΣ ", "שלום ", "مرحبا ", "\u{202E}", "\u{200B}", "\u{AD}", "\u{1B}[31m", "\u{7}",
      "\u{9B}",
      "(x) ", "\"q\" ", "1,234.5 ", "https://a.b/c?d ", "नमस्ते ", "ไทย", "\u{FFFE}", "\u{1FAE8}",
      "\u{897}", "\u{FFFC}", "\u{FFFC} ", "\u{FFFC}\u{301}", "\u{85}", "\u{C}",
    ].map { Array($0.utf16) } + [[0xD83D], [0xDE00]]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func text(pieces count: Int) -> UTF16Text {
    UTF16Text(
      units: (0..<count).flatMap { _ -> [UInt16] in
        if below(12) == 0 {
          // Any scalar of any plane.
          let value = UInt32(below(0x11_0000))
          return Unicode.Scalar(value).map { Array(String(Character($0)).utf16) } ?? [0xDFFF]
        }
        return Self.pieces[below(Self.pieces.count)]
      })
  }

  /// An attachment of a random size, for the U+FFFC in a random part of a text; or none.
  mutating func attachment(length: Int) -> EditAction? {
    let location = below(length + 1)
    let count = below(length - location + 1)
    guard count > 0 else { return nil }
    let size = Attachment(name: "a", columns: below(40), rows: below(6))
    let run = AttributeRun(
      length: count, attributes: below(4) == 0 ? .empty : size.attributes)
    return try? EditAction(
      range: UTF16Range(location..<location + count), replacement: nil, attributes: .set([run]))
  }

  /// A replacement of some part of a text.
  mutating func action(length: Int) -> EditAction {
    let location = below(length + 1)
    let count = below(4) == 0 ? below(length - location + 1) : min(length - location, below(4))
    return EditAction(
      replacing: UTF16Range(location..<location + count), with: text(pieces: below(6)))
  }
}

/// Paragraphs with blank rows and indents, by the number of their paragraph.
struct StripedFormats: ParagraphFormats {
  func format(ofParagraph index: Int) -> ParagraphFormat {
    ParagraphFormat(
      rowsBefore: index % 3 == 1 ? 1 : 0, rowsAfter: index % 5 == 2 ? 2 : 0,
      indent: index % 4 == 3 ? 3 : 0)
  }
}

extension TextGenerator {
  /// A small page, with up to three columns and three holes, which may lie beside it.
  mutating func pageFormat() -> PageFormat {
    let holes = (0..<below(4)).map { _ in
      CellRectangle(
        column: below(30) - 4, row: below(10) - 2,
        columns: 1 + below(9), rows: 1 + below(4))
    }
    return PageFormat(
      width: 4 + below(30), height: 1 + below(9),
      columns: 1 + below(3), gap: below(3), holes: holes)
  }
}
