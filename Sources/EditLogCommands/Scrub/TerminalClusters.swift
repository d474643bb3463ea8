import CNcurses

/// Characters that ncurses cannot hold in a cell, such as families and flags: they have several scalars with
/// cells of their own.
///
/// ncurses draws a sign over their two cells. After each frame they are written there, if the terminal said
/// that it shows such characters in two cells; else the sign stays. ncurses knows nothing of it: cursor and
/// attributes are as before.
struct TerminalClusters {
  /// What a terminal may know, or not.
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
      case .long: "👩🏽‍❤️‍💋‍👨🏽"
      }
    }
  }

  private var answers: [Bool] = []

  /// UTF-8 bytes of a character, at most, and those from which on it is a long one.
  private static let (lengthMax, longMin) = (40, 17)

  /// What ncurses draws before the character is written: no text has it.
  static let cover: [wchar_t] = [0xFF1F, 0x34F, 0x34F, 0x34F, 0]

  /// The question how many cells the samples take; empty if the terminal cannot be asked. The answers come
  /// as keys.
  var question: String {
    guard Self.sequence(EDITLOG_SAVE) != nil, Self.sequence(EDITLOG_RESTORE) != nil,
      editlog_rows() >= 2, editlog_columns() >= EDITLOG_ANSWER_MAX,
      let start = Self.sequence(EDITLOG_MOVE, 1, 0)
    else { return "" }
    // The samples are concealed, and the first frame removes them.
    return Kind.allCases.map { start + "\u{1B}[8m" + $0.sample + "\u{1B}[m\u{1B}[6n" }.joined()
  }

  /// Notes where the cursor was after the next sample.
  mutating func note(column: Int32) {
    if answers.count < Kind.allCases.count { answers.append(column == 3) }
  }

  /// True if the terminal shows a character in two cells.
  func canWrite(_ text: String) -> Bool {
    guard text.utf8.count <= Self.lengthMax, answers.count == Kind.allCases.count else {
      return false
    }
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

  /// What writes characters at their cells and leaves cursor and attributes as they were.
  static func writing(_ cells: [(row: Int, column: Int, text: String, looks: Int32)]) -> String {
    guard !cells.isEmpty, let save = sequence(EDITLOG_SAVE),
      let restore = sequence(EDITLOG_RESTORE), let plain = sequence(EDITLOG_PLAIN)
    else { return "" }
    var bytes = save
    for cell in cells {
      guard let place = sequence(EDITLOG_MOVE, Int32(cell.row), Int32(cell.column)) else {
        continue
      }
      bytes += place
      let looks = [EDITLOG_BOLD, EDITLOG_DIM, EDITLOG_REVERSED, EDITLOG_UNDERLINED]
      for (bit, look) in looks.enumerated() where cell.looks & 1 << bit != 0 {
        bytes += sequence(look) ?? ""
      }
      bytes += cell.text + plain
    }
    return bytes + restore
  }

  /// A sequence of the terminal; nil if it has none, or one that needs a pause.
  private static func sequence(
    _ which: editlog_sequence_kind, _ row: Int32 = 0, _ column: Int32 = 0
  ) -> String? {
    guard let bytes = editlog_sequence(which, row, column) else { return nil }
    let text = String(cString: bytes)
    return text.isEmpty || text.contains("$<") ? nil : text
  }

  /// The scalars of a cell, with a zero at the end. Nil if ncurses cannot hold all in a cell of this width.
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
    return (scalars.isEmpty ? [0x20] : scalars) + [0]
  }
}
