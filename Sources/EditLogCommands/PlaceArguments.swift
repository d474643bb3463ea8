import EditModel
import EditProtocol

/// Reads the places that options name.
enum PlaceArguments {
  /// A range: `LOCATION,LENGTH` in UTF-16 units.
  ///
  /// - Throws: `CommandError` (64).
  static func range(_ text: String) throws(CommandError) -> UTF16Range {
    guard let (location, length) = numbers(text, separator: ","),
      location <= EditAction.textLengthMax, length <= EditAction.textLengthMax,
      let range = UTF16Range(location: location, length: length),
      range.upperBound <= EditAction.textLengthMax
    else {
      throw .usage(
        """
        --range takes LOCATION,LENGTH in UTF-16 units, such as 120,15, up to \
        \(EditAction.textLengthMax); found \(text.shown)
        """)
    }
    return range
  }

  /// A line and a column: `LINE:COLUMN`, both counted from 1; the column may be absent.
  ///
  /// - Throws: `CommandError` (64).
  static func position(_ text: String) throws(CommandError) -> TextPosition {
    let found = numbers(text, separator: ":") ?? number(text).map { ($0, 1) }
    guard let (line, column) = found, line > 0, column > 0 else {
      throw .usage("--line takes LINE:COLUMN, both counted from 1; found \(text.shown)")
    }
    return TextPosition(line: line, column: column)
  }

  /// Lines: `FIRST,LAST`, counted from 1.
  ///
  /// - Throws: `CommandError` (64).
  static func lines(_ text: String) throws(CommandError) -> ClosedRange<Int> {
    guard let (first, last) = numbers(text, separator: ","), first > 0, last >= first else {
      throw .usage("--lines takes FIRST,LAST, counted from 1, such as 3,5; found \(text.shown)")
    }
    return first...last
  }

  /// A paragraph's identifier.
  ///
  /// - Throws: `CommandError` (64).
  static func paragraph(_ text: String) throws(CommandError) -> ParagraphID {
    guard let id = ParagraphID(text) else {
      throw .usage("--paragraph takes an identifier such as 12.0; found \(text.shown)")
    }
    return id
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func numbers(_ text: String, separator: Character) -> (Int, Int)? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = number(parts[0]), let second = number(parts[1]) else {
      return nil
    }
    return (first, second)
  }
}
