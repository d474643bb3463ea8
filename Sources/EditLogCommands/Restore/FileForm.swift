import EditModel
import EditorSync
import FileWatch
import TextState

/// What a file has besides its text: the encoding, a byte order mark, CR LF instead of LF, and whether a newline
/// ends it. Editors leave some of it out when they report a text. It is that of the file as it is, so a new text
/// gets it without a mistake: what does not change in the text does not change in the file. A version that differs only
/// in the mark and the line ends is the same file.
struct FileForm {
  /// The text of the file, and a text of the history that differs from it in no more than its form.
  private let (fileText, text): ([UInt16], [UInt16])
  /// The encodings in which the bytes are this text. Mostly there is one.
  private let encodings: [TextEncoding]

  /// The form of a file with these bytes; nil if its text is not `text`. O(n).
  init?(_ bytes: [UInt8], of text: UTF16Text) {
    let wanted = ComparableText(text)
    var (found, units) = ([TextEncoding](), [UInt16]())
    for encoding in TextEncoding.candidates(for: bytes) {
      // A byte that is not needed, such as an escape, would be lost.
      guard let decoded = encoding.decode(bytes),
        ComparableText(UTF16Text(compacting: decoded)) == wanted,
        encoding.encode(decoded) == bytes
      else { continue }
      if found.isEmpty { units = decoded }
      if units == decoded { found.append(encoding) }
      if encoding == .utf8 { break }
    }
    guard !found.isEmpty else { return nil }
    (encodings, fileText, self.text) = (found, units, text.units)
  }

  /// The bytes of a new file, which is in UTF-8.
  ///
  /// - Throws: `CommandError` (65) if the text has a lone surrogate.
  static func newFile(_ text: UTF16Text) throws(CommandError) -> [UInt8] {
    guard let bytes = TextEncoding.utf8.encode(text.units) else {
      throw .data("the text has a lone surrogate, which no encoding has")
    }
    return bytes
  }

  /// The bytes of the file at `path` with a new text.
  ///
  /// - Throws: `CommandError` (65) if the file's encoding lacks a character of the text, or if several encodings may be
  ///   meant, which differ in the new text.
  func bytes(of new: UTF16Text, at path: String) throws(CommandError) -> [UInt8] {
    let units = Self.rewritten(fileText, from: text, to: new.units)
    if encodings == [.utf8] { return try Self.newFile(UTF16Text(units: units)) }
    var first: (encoding: TextEncoding, bytes: [UInt8])?
    for encoding in encodings {
      guard let bytes = encoding.encode(units) else { continue }
      if let first, first.bytes != bytes {
        throw .data(
          """
          \(path.shown) may be in \(first.encoding.name) or in \(encoding.name), and the new text has \
          different bytes in them
          """)
      }
      first = first ?? (encoding, bytes)
    }
    guard let first else {
      throw .data(
        "\(path.shown) is in \(encodings[0].name), which lacks a character of the new text")
    }
    return first.bytes
  }

  private static let (mark, lineFeed, carriageReturn) = (UInt16(0xFEFF), UInt16(0x0A), UInt16(0x0D))

  /// A text without the mark that names its encoding.
  static func withoutMark(_ text: UTF16Text) -> UTF16Text {
    isMarked(text) ? UTF16Text(compacting: Array(text.units.dropFirst())) : text
  }

  /// True if a text begins with such a mark.
  static func isMarked(_ text: UTF16Text) -> Bool { !text.isEmpty && text[0] == mark }

  /// True if texts differ in their form: in the mark, in the last newline, or because only one has CRs. O(length).
  static func differs(_ left: UTF16Text, _ right: UTF16Text) -> Bool {
    isMarked(left) != isMarked(right) || left.endsInNewline != right.endsInNewline
      || left.units.contains(carriageReturn) != right.units.contains(carriageReturn)
  }

  /// The text of a file with the mark and the line ends of a document, whose newest text is `known`, and with its
  /// last newline, even if none ends the file.
  static func text(_ text: UTF16Text, inFormOf known: UTF16Text) -> UTF16Text {
    let keepsNewline = known.endsInNewline && !text.isEmpty
    let new = keepsNewline ? with(newline: true, text.units) : text.units
    return UTF16Text(compacting: rewritten(known.units, from: known.units, to: new))
  }

  /// The text of a file after the change from `old` to `new`. The file's text may differ from `old` in a byte order
  /// mark, in the line ends and in the last newline. O(length), plus the difference.
  static func rewritten(_ file: [UInt16], from old: [UInt16], to new: [UInt16]) -> [UInt16] {
    let (isMarked, hasEnd) = (file.first == mark, file.last == lineFeed)
    var new = with(mark: isMarked, new)
    let isEmpty = new.count == (isMarked ? 1 : 0)
    // If only one of file and history ends in a newline, the file keeps its end.
    if !isEmpty, (old.last == lineFeed) != hasEnd { new = with(newline: hasEnd, new) }
    // A file without a line end takes those of the new text.
    guard file.contains(lineFeed) else { return new }
    return withLineEnds(
      of: file, from: withoutReturns(with(newline: hasEnd, with(mark: isMarked, old))),
      to: withoutReturns(new))
  }

  private static func with(mark isMarked: Bool, _ units: [UInt16]) -> [UInt16] {
    let rest = units.first == mark ? units.dropFirst() : units[...]
    return isMarked ? [mark] + rest : Array(rest)
  }

  private static func with(newline hasEnd: Bool, _ units: [UInt16]) -> [UInt16] {
    guard (units.last == lineFeed) != hasEnd else { return units }
    if hasEnd { return units + [lineFeed] }
    return units.dropLast(units.dropLast().last == carriageReturn ? 2 : 1)
  }

  /// LF instead of CR LF.
  private static func withoutReturns(_ units: [UInt16]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(units.count)
    for unit in units {
      if unit == lineFeed, result.last == carriageReturn { result.removeLast() }
      result.append(unit)
    }
    return result
  }

  /// Makes the change from `old` to `new`, whose lines end with LF, in a text that differs from `old` in its line ends
  /// only. Those of lines that stay are kept, and new lines get those of most lines.
  private static func withLineEnds(
    of file: [UInt16], from old: [UInt16], to new: [UInt16]
  ) -> [UInt16] {
    guard file != old else { return new }
    let feeds = file.count { $0 == lineFeed }
    let pairs = zip(file, file.dropFirst()).count { $0 == carriageReturn && $1 == lineFeed }
    var places = FilePlaces(file, old)
    var (result, start, shift) = ([UInt16](), 0, 0)
    for action in TextDifference.replacements(
      from: UTF16Text(units: old), to: UTF16Text(units: new))
    {
      let range = action.range
      let lower = places.place(of: range.location - shift)
      let upper = places.place(of: range.location - shift + range.length)
      let inserted = action.replacement?.units ?? []
      result += file[start..<lower]
      result +=
        2 * pairs > feeds
        ? inserted.flatMap { $0 == lineFeed ? [carriageReturn, lineFeed] : [$0] } : inserted
      start = upper
      shift += inserted.count - range.length
    }
    return result + file[start...]
  }
}

/// Where the units of a text are in that of a file, which differs from it in CRs before LFs.
private struct FilePlaces {
  private let file, text: [UInt16]
  private var (inFile, inText) = (0, 0)

  init(_ file: [UInt16], _ text: [UInt16]) { (self.file, self.text) = (file, text) }

  /// The place in the file of an offset in the text. Offsets are asked for in ascending order. O(distance).
  mutating func place(of offset: Int) -> Int {
    while inText < offset, inText < text.count, inFile < file.count {
      if text[inText] == file[inFile] {
        inText += 1
        inFile += 1
      } else if file[inFile] == 0x0D {
        inFile += 1
      } else {
        inText += 1
      }
    }
    return inFile
  }
}
