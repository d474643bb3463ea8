import CNcurses
import TextGrid

/// Characters that ncurses cannot hold in a cell: they have several scalars with cells of their own.
///
/// ncurses draws signs over their cells. After each frame they are written there. ncurses knows nothing of
/// it: cursor and attributes are as before.
///
/// - An emoji of several scalars, such as a family or a flag, is written if the terminal said that it shows such
///   characters in two cells; else U+FFFD stays.
/// - A letter with marks that are written beside it, as in Hindi and Thai, has a cell for each of them. A terminal
///   that needs fewer leaves the rest blank.
struct TerminalClusters {
  /// The kinds of emoji that a terminal may lack.
  private enum Kind: Int, CaseIterable {
    case joined, flag, toned, varied, tagged, long

    /// A character of the kind.
    var sample: String {
      switch self {
      case .joined: "👩‍🚀"
      case .flag: "🇩🇪"
      case .toned: "👍🏽"
      case .varied: "🏳️‍🌈"
      case .tagged: "🏴󠁧󠁢󠁥󠁮󠁧󠁿"
      case .long: "👨‍👩‍👧‍👦"
      }
    }
  }

  /// A character that is written after the frame.
  struct Written {
    var row: Int
    var column: Int
    var text: String
    var width: Int
    /// As `editlog_put` takes them.
    var looks: Int32
    /// The number of the terminal's colour.
    var colour: Int?
  }

  private var answers: [Bool] = []

  /// UTF-8 bytes of a character, at most, and those from which on it is a long one.
  private static let (lengthMax, longMin) = (40, 17)

  /// What ncurses draws in each cell before the character is written. A cell of the text never has it: ncurses
  /// would not draw that cell again when the character goes.
  static let cover: [wchar_t] = [0x3F, 0x34F, 0x34F, 0x34F, 0]

  /// The question how many cells the samples take; empty if the terminal cannot be asked. The answers come
  /// as keys.
  var question: String {
    guard Self.canPlace, editlog_rows() >= 2, editlog_columns() >= EDITLOG_ANSWER_MAX,
      let start = Self.sequence(EDITLOG_MOVE, 1, 0)
    else { return "" }
    // The samples are concealed, and the first frame removes them.
    return Kind.allCases.map { start + "\u{1B}[8m" + $0.sample + "\u{1B}[m\u{1B}[6n" }.joined()
  }

  /// Notes where the cursor was after the next sample.
  mutating func note(column: Int32) {
    if answers.count < Kind.allCases.count { answers.append(column == 3) }
  }

  /// True if a character of this width can be written after the frame.
  func canWrite(_ text: String, width: Int) -> Bool {
    guard text.utf8.count <= Self.lengthMax, Self.canPlace else { return false }
    return width == 2 && isKnownEmoji(text) || Self.isSpaced(text, width: width)
  }

  /// True if the terminal shows a character in two cells.
  private func isKnownEmoji(_ text: String) -> Bool {
    guard answers.count == Kind.allCases.count else { return false }
    var kinds: Set<Kind> = text.utf8.count >= Self.longMin ? [.long] : []
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x200D: kinds.insert(.joined)
      case 0xFE0F: kinds.insert(.varied)
      case 0x1F1E6...0x1F1FF: kinds.insert(.flag)
      case 0x1F3FB...0x1F3FF: kinds.insert(.toned)
      case 0xE0020...0xE007F: kinds.insert(.tagged)
      default: break
      }
    }
    return !kinds.isSubset(of: [.long]) && kinds.allSatisfy { answers[$0.rawValue] }
  }

  /// True if a character is a letter with marks beside it that take no more than its cells.
  static func isSpaced(_ text: String, width: Int) -> Bool {
    var (cells, isSpaced) = (0, false)
    for (index, scalar) in text.unicodeScalars.enumerated() {
      let own = Int(wcwidth(wchar_t(bitPattern: scalar.value)))
      cells += own
      guard own >= 0, cells <= width, scalar.value != 0x200D else { return false }
      guard index > 0, own > 0 else { continue }
      guard scalar.isSpacingMark else { return false }
      isSpaced = true
    }
    return isSpaced
  }

  /// The bytes that write characters at their cells. They restore the cursor and the attributes.
  static func writing(_ characters: [Written]) -> String {
    guard !characters.isEmpty, let save = sequence(EDITLOG_SAVE),
      let restore = sequence(EDITLOG_RESTORE), let plain = sequence(EDITLOG_PLAIN)
    else { return "" }
    var bytes = save
    for character in characters {
      guard let place = sequence(EDITLOG_MOVE, Int32(character.row), Int32(character.column))
      else { continue }
      bytes += place
      let looks = [EDITLOG_BOLD, EDITLOG_DIM, EDITLOG_REVERSED, EDITLOG_UNDERLINED]
      for (bit, look) in looks.enumerated() where character.looks & 1 << bit != 0 {
        bytes += sequence(look) ?? ""
      }
      if let colour = character.colour { bytes += sequence(EDITLOG_COLOUR, Int32(colour)) ?? "" }
      // The character may be narrower than its cells.
      bytes += String(repeating: " ", count: character.width) + place + character.text + plain
    }
    return bytes + restore
  }

  /// True if the terminal has the sequences that this needs. A process has one terminal.
  private static let canPlace =
    [EDITLOG_SAVE, EDITLOG_RESTORE, EDITLOG_PLAIN].allSatisfy { sequence($0) != nil }
    && sequence(EDITLOG_MOVE, 1, 0) != nil

  /// A sequence of the terminal; nil if it has none, or one that needs a pause.
  private static func sequence(
    _ which: editlog_sequence_kind, _ row: Int32 = 0, _ column: Int32 = 0
  ) -> String? {
    guard let bytes = editlog_sequence(which, row, column) else { return nil }
    let text = String(cString: bytes)
    return text.isEmpty || text.contains("$<") ? nil : text
  }

  /// The scalars of a cell, with a zero at the end. Nil if ncurses cannot hold all in a cell of this width, or
  /// if they are those of the cover.
  static func scalars(_ text: String, width: Int) -> [wchar_t]? {
    var scalars: [wchar_t] = []
    for scalar in text.unicodeScalars {
      let value = wchar_t(bitPattern: scalar.value)
      let own = Int(wcwidth(value))
      if scalars.isEmpty {
        guard own > 0, own <= width else { return nil }
      } else if own != 0 {
        return nil
      } else if value == 0x200D {
        // A joiner without what it joins to would join the next cell.
        continue
      } else if scalars.count == Int(editlog_scalars_max()) {
        // The text is whole without the stroke of deleted text.
        if value == 0x336 { continue }
        return nil
      }
      scalars.append(value)
    }
    scalars = (scalars.isEmpty ? [0x20] : scalars) + [0]
    return scalars == cover ? nil : scalars
  }
}
