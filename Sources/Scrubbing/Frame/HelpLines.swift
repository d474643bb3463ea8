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
    ("/", "search all history; Tab: both, now, deleted"),
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
    ("r", "restore this version, this paragraph or the selection"),
    ("M", "name this version"),
    ("w", "write this version to a new file"),
    ("y", "copy this paragraph or the selection"),
    ("", "The mouse scrolls, and clicks on timeline, rows, steps and matches."),
    ("^Z ^L", "to the background, draw again"),
    ("q", "quit, and print DOCUMENT@VERSION"),
  ]

  /// The list, for a screen of some columns.
  static func lines(columns: Int) -> [String] {
    keys.map { key, action in
      key.isEmpty
        ? action
        : "  " + key + String(repeating: " ", count: max(2, 18 - key.count)) + action
    }
  }
}
