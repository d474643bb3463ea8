/// The list of keys.
enum HelpLines {
  /// Keys, and what they do.
  package static let keys: [(keys: String, action: String)] = [
    ("", "Sideways is time. A number before a key repeats it."),
    (", .", "one edit back, on"),
    ("h l, left right", "one undo step back, on"),
    ("H L, Shift", "a tenth of the timeline back, on"),
    ("( )", "one change of a paragraph back, on"),
    ("S s", "the save before, the next"),
    ("{ }", "the start of the session before, of the next"),
    ("[ ]", "the mark before, the next"),
    ("Home End", "the empty document, the newest version"),
    ("50%", "a part of all edits"),
    (":", "any point: 1234, 10m ago, 15:04, mark:NAME, save:-1, undo:-3"),
    ("space", "play, pause"),
    ("+ - =", "twice as fast, half as fast, as it was"),
    ("i", "idle time of at most 2 s, of 0.5 s, all"),
    ("z Z", "a closer timeline, a wider one"),
    ("F", "follow what is logged"),
    ("", "Up and down is text."),
    ("j k, down up", "one row"),
    ("PgDn PgUp, ^F ^B", "one page; ^D ^U half, ^E ^Y one row"),
    ("g G", "the first row, the last"),
    ("/", "search all history; Tab: both, now, deleted. Small letters ignore case"),
    ("n N", "the next match, the one before"),
    ("Enter", "the edit that wrote this line last"),
    ("Backspace", "back from a jump"),
    ("", "What is shown."),
    ("d", "deleted text, since the step before or the anchor"),
    ("m", "anchor here, or none"),
    ("v", "select lines, to restore or copy them; again: none"),
    ("b", "who wrote each line"),
    ("u", "the undo steps, from 80 columns"),
    ("p", "h l: only versions of this paragraph; the timeline shows when"),
    ("T", "who wrote, in the timeline; always from 45 rows"),
    ("a", "h l: only steps of one author"),
    ("t", "times: both, absolute, relative"),
    ("", "What is changed. It asks first."),
    ("r", "restore this version, this paragraph or the selection; then w also writes the file"),
    ("M", "name this version"),
    ("w", "write this version to a new file"),
    ("y", "copy this paragraph or the selection"),
    ("", "The mouse scrolls, and clicks on timeline, rows, steps and matches."),
    ("^Z ^L", "to the background, draw again"),
    ("q", "quit, and print DOCUMENT@VERSION"),
  ]

  /// The width of the column of keys, and the least width of a screen with two columns.
  private static let (keyWidth, columnsBeside) = (18, 56)

  /// The list, wrapped to a number of columns.
  static func lines(columns: Int) -> [String] {
    keys.flatMap { key, action -> [String] in
      guard !key.isEmpty else { return wrapped(action, columns) }
      let blanks = String(repeating: " ", count: 2 + keyWidth)
      if columns < columnsBeside {
        return wrapped(key, columns - 2).map { "  " + $0 }
          + wrapped(action, columns - 4).map { "    " + $0 }
      }
      let head = "  " + key + String(repeating: " ", count: max(2, keyWidth - key.count))
      return wrapped(action, columns - blanks.count).enumerated().map { index, line in
        (index == 0 ? head : blanks) + line
      }
    }
  }

  /// Wraps an ASCII text at spaces; only words longer than a line are split.
  private static func wrapped(_ text: String, _ columns: Int) -> [String] {
    let width = max(1, columns)
    var lines = [""]
    for word in text.split(separator: " ") {
      var rest = word
      let line = lines[lines.count - 1]
      if line.isEmpty || line.count + 1 + rest.count <= width {
        lines[lines.count - 1] += (line.isEmpty ? "" : " ") + rest.prefix(width)
        rest = line.isEmpty ? rest.dropFirst(width) : ""
      }
      while !rest.isEmpty {
        lines.append(String(rest.prefix(width)))
        rest = rest.dropFirst(width)
      }
    }
    return lines
  }

  /// The last row of the help: the keys to scroll and close it.
  static func footer(from first: Int, of count: Int, _ size: ScrubSize) -> String {
    let shown = max(0, size.rows - 1)
    guard count > shown else { return fitting(["keys: q closes"], size) }
    let place = "\(min(first + shown, count)) of \(count)"
    return fitting(
      ["keys, to line \(place): space and j k scroll, q closes", "space j k scroll, q closes"], size
    )
  }

  /// The first text that fits.
  private static func fitting(_ texts: [String], _ size: ScrubSize) -> String {
    texts.first { $0.count <= size.columns } ?? "q closes"
  }
}
