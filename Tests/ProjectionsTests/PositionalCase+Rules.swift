extension PositionalCase {
  private static let words: [Step] = [(0, 0, "alpha\nbeta\ngamma")]

  /// An edit of three paragraphs: p0 `alpha` {0, 6}, p1 `beta` {6, 5}, p2 `gamma` {11, 5}.
  private static func words(
    _ name: String, _ location: Int, _ length: Int, _ text: String, _ ids: String,
    _ result: String, _ callbacks: String
  ) -> PositionalCase {
    group(name, [(location, length, text)], ids, result, callbacks)
  }

  /// A transaction on the same three paragraphs.
  private static func group(
    _ name: String, _ edits: [Step], _ ids: String, _ result: String, _ callbacks: String
  ) -> PositionalCase {
    PositionalCase(
      name: name, steps: words, edits: edits, ids: ids, text: result, callbacks: callbacks)
  }

  /// An edit of some other text.
  private static func on(
    _ before: String, _ name: String, _ location: Int, _ length: Int, _ text: String,
    _ ids: String, _ result: String, _ callbacks: String
  ) -> PositionalCase {
    PositionalCase(
      name: name, steps: [(0, 0, before)], edits: [(location, length, text)], ids: ids,
      text: result, callbacks: callbacks)
  }

  /// What the reference storage does at each kind of keystroke.
  static let keystrokes: [PositionalCase] = [
    words(
      "type inside", 8, 0, "x", "p0 p1 p2", "alpha\nbexta\ngamma",
      "didEdit 1 p1 {6, 6}, shouldSetStyle 1 p1 {6, 6}"),
    words(
      "Return in the middle", 8, 0, "\n", "p0 p1 p3 p2", "alpha\nbe\nta\ngamma",
      "didEdit 1 p1 {6, 3}, didAdd 2 p3 {9, 3}, shouldSetStyle 1 p1 {6, 3}"),
    words(
      "Return at the end", 10, 0, "\n", "p0 p1 p3 p2", "alpha\nbeta\n\ngamma",
      "didEdit 1 p1 {6, 5}, didAdd 2 p3 {11, 1}, shouldSetStyle 1 p1 {6, 5}"),
    words(
      "Return at the start", 6, 0, "\n", "p0 p1 p3 p2", "alpha\n\nbeta\ngamma",
      "didEdit 1 p1 {6, 1}, didAdd 2 p3 {7, 5}, shouldSetStyle 1 p1 {6, 1}"),
    words(
      "Return at 0", 0, 0, "\n", "p0 p3 p1 p2", "\nalpha\nbeta\ngamma",
      "didEdit 0 p0 {0, 1}, didAdd 1 p3 {1, 6}, shouldSetStyle 0 p0 {0, 1}"),
    on(
      "a\n\nb", "Return on a blank line", 2, 0, "\n", "p0 p1 p3 p2", "a\n\n\nb",
      "didEdit 1 p1 {2, 1}, didAdd 2 p3 {3, 1}, shouldSetStyle 1 p1 {2, 1}"),
    words(
      "delete a newline", 5, 1, "", "p0 p2", "alphabeta\ngamma",
      "willDelete 1 p1 {6, 5}, didEdit 0 p0 {0, 10}"),
    on(
      "\nb", "backspace below a blank line", 0, 1, "", "p0", "b",
      "willDelete 1 p1 {1, 1}, didEdit 0 p0 {0, 1}"),
    words(
      "delete the first with its newline", 0, 6, "", "p0 p2", "beta\ngamma",
      "willDelete 1 p1 {6, 5}, didEdit 0 p0 {0, 5}"),
    words(
      "delete a middle one with its newline", 6, 5, "", "p0 p1", "alpha\ngamma",
      "willDelete 2 p2 {11, 5}, didEdit 1 p1 {6, 5}"),
    words(
      "delete the last with the newline before", 10, 6, "", "p0 p1", "alpha\nbeta",
      "willDelete 2 p2 {11, 5}, didEdit 1 p1 {6, 4}"),
    words(
      "delete the last one's text", 11, 5, "", "p0 p1 p2", "alpha\nbeta\n",
      "didEdit 2 p2 {11, 0}"),
    words(
      "delete everything", 0, 16, "", "p0", "",
      "willDelete 1 p1 {6, 5}, willDelete 1 p2 {11, 5}, didEdit 0 p0 {0, 0}"),
    PositionalCase(
      name: "type into the emptied text", steps: words + [(0, 16, "")], edits: [(0, 0, "x")],
      ids: "p0", text: "x", callbacks: "didEdit 0 p0 {0, 1}, shouldSetStyle 0 p0 {0, 1}"),
    words(
      "paste lines inside", 8, 0, "1\n2\n3", "p0 p1 p3 p4 p2", "alpha\nbe1\n2\n3ta\ngamma",
      """
      didEdit 1 p1 {6, 4}, didAdd 2 p3 {10, 2}, didAdd 3 p4 {12, 4}, \
      shouldSetStyle 1 p1 {6, 4}, shouldSetStyle 3 p4 {12, 4}
      """),
    words(
      "paste lines at the start", 6, 0, "1\n2\n", "p0 p1 p3 p4 p2",
      "alpha\n1\n2\nbeta\ngamma",
      """
      didEdit 1 p1 {6, 2}, didAdd 2 p3 {8, 2}, didAdd 3 p4 {10, 5}, \
      shouldSetStyle 1 p1 {6, 2}, shouldSetStyle 2 p3 {8, 2}
      """),
    words(
      "paste lines at the end", 16, 0, "\n1\n2", "p0 p1 p2 p3 p4",
      "alpha\nbeta\ngamma\n1\n2",
      """
      didEdit 2 p2 {11, 6}, didAdd 3 p3 {17, 2}, didAdd 4 p4 {19, 1}, \
      shouldSetStyle 2 p2 {11, 6}, shouldSetStyle 4 p4 {19, 1}
      """),
    words(
      "append a newline", 16, 0, "\n", "p0 p1 p2 p3", "alpha\nbeta\ngamma\n",
      "didEdit 2 p2 {11, 6}, didAdd 3 p3 {17, 0}, shouldSetStyle 2 p2 {11, 6}"),
    on(
      "a\n", "type into the empty last one", 2, 0, "x", "p0 p1", "a\nx",
      "didEdit 1 p1 {2, 1}, shouldSetStyle 1 p1 {2, 1}"),
    on(
      "a\n", "delete the last newline", 1, 1, "", "p0", "a",
      "willDelete 1 p1 {2, 0}, didEdit 0 p0 {0, 1}"),
    words(
      "replace across 1 newline by 1", 4, 4, "X\nY", "p0 p1 p2", "alphX\nYta\ngamma",
      """
      didEdit 0 p0 {0, 6}, didEdit 1 p1 {6, 4}, shouldSetStyle 0 p0 {0, 6}, \
      shouldSetStyle 1 p1 {6, 4}
      """),
    words(
      "replace across 2 newlines by none", 4, 8, "X", "p0", "alphXamma",
      """
      willDelete 1 p1 {6, 5}, willDelete 1 p2 {11, 5}, didEdit 0 p0 {0, 9}, \
      shouldSetStyle 0 p0 {0, 9}
      """),
    words(
      "replace 3 by 2", 4, 8, "X\nY", "p0 p2", "alphX\nYamma",
      """
      willDelete 1 p1 {6, 5}, didEdit 0 p0 {0, 6}, didEdit 1 p2 {6, 5}, \
      shouldSetStyle 0 p0 {0, 6}, shouldSetStyle 1 p2 {6, 5}
      """),
    words(
      "replace 3 by 2, the last unchanged", 4, 7, "X\n", "p0 p2", "alphX\ngamma",
      """
      willDelete 1 p1 {6, 5}, didEdit 0 p0 {0, 6}, didEdit 1 p2 {6, 5}, \
      shouldSetStyle 0 p0 {0, 6}
      """),
    words(
      "replace a word by itself", 6, 4, "beta", "p0 p1 p2", "alpha\nbeta\ngamma",
      "didEdit 1 p1 {6, 5}, shouldSetStyle 1 p1 {6, 5}"),
    words(
      "replace nothing by nothing", 6, 0, "", "p0 p1 p2", "alpha\nbeta\ngamma",
      "didEdit 1 p1 {6, 5}"),
  ]

  /// More after than before, and several before: the reference storage has the same calls with
  /// the same ranges, but adds at index 1, where its list is out of order from then on.
  static let additionsAfterSeveral: [PositionalCase] = [
    words(
      "replace across 1 newline by 2", 4, 4, "X\nY\nZ", "p0 p1 p3 p2",
      "alphX\nY\nZta\ngamma",
      """
      didEdit 0 p0 {0, 6}, didEdit 1 p1 {6, 2}, didAdd 2 p3 {8, 4}, \
      shouldSetStyle 0 p0 {0, 6}, shouldSetStyle 2 p3 {8, 4}
      """),
    words(
      "replace 3 by 4", 4, 8, "X\nY\nZ\nW", "p0 p1 p2 p3", "alphX\nY\nZ\nWamma",
      """
      didEdit 0 p0 {0, 6}, didEdit 1 p1 {6, 2}, didEdit 2 p2 {8, 2}, didAdd 3 p3 {10, 5}, \
      shouldSetStyle 0 p0 {0, 6}, shouldSetStyle 3 p3 {10, 5}
      """),
  ]

  /// Where the reference storage cuts at what ends no paragraph, or inside a CR LF.
  static let terminators: [PositionalCase] = [
    on(
      "", "none of these", 0, 0, "a\u{2028}b\u{85}c\u{B}d\u{C}e", "p0",
      "a\u{2028}b\u{85}c\u{B}d\u{C}e", "didEdit 0 p0 {0, 9}, shouldSetStyle 0 p0 {0, 9}"),
    on(
      "", "a CR LF", 0, 0, "a\r\nb", "p0 p1", "a\r\nb",
      """
      didEdit 0 p0 {0, 3}, didAdd 1 p1 {3, 1}, shouldSetStyle 0 p0 {0, 3}, \
      shouldSetStyle 1 p1 {3, 1}
      """),
    on(
      "a\rb", "an LF completes the CR before", 2, 0, "\n", "p0 p1", "a\r\nb",
      "didEdit 0 p0 {0, 3}, didEdit 1 p1 {3, 1}, shouldSetStyle 0 p0 {0, 3}"),
    on(
      "a\r\nb", "text inside a CR LF", 2, 0, "x", "p0 p2 p1", "a\rx\nb",
      "didEdit 0 p0 {0, 2}, didAdd 1 p2 {2, 2}, shouldSetStyle 1 p2 {2, 2}"),
    on(
      "a\rx\nb", "CR and LF meet", 2, 1, "", "p0 p2", "a\r\nb",
      "willDelete 1 p1 {2, 2}, didEdit 0 p0 {0, 3}"),
    on(
      "a\r\nb", "delete the LF of a CR LF", 2, 1, "", "p0 p1", "a\rb",
      "didEdit 0 p0 {0, 2}, didEdit 1 p1 {2, 1}"),
    on(
      "a\r\nb", "delete the CR of a CR LF", 1, 1, "", "p0 p1", "a\nb", "didEdit 0 p0 {0, 2}"),
  ]

  /// Several edits processed as one, where the reference storage counts the last one's terminators
  /// only.
  static let groups: [PositionalCase] = [
    group(
      "two insertions", [(0, 0, "x"), (7, 0, "1\n2")], "p0 p1 p3 p2",
      "xalpha\n1\n2beta\ngamma",
      """
      didEdit 0 p0 {0, 7}, didEdit 1 p1 {7, 2}, didAdd 2 p3 {9, 6}, \
      shouldSetStyle 0 p0 {0, 7}, shouldSetStyle 2 p3 {9, 6}
      """),
    group(
      "two newlines deleted", [(5, 1, ""), (9, 1, "")], "p0", "alphabetagamma",
      """
      willDelete 1 p1 {6, 5}, willDelete 1 p2 {11, 5}, didEdit 0 p0 {0, 14}, \
      shouldSetStyle 0 p0 {0, 14}
      """),
    group(
      "two newlines deleted, back to front", [(10, 1, ""), (5, 1, "")], "p0", "alphabetagamma",
      """
      willDelete 1 p1 {6, 5}, willDelete 1 p2 {11, 5}, didEdit 0 p0 {0, 14}, \
      shouldSetStyle 0 p0 {0, 14}
      """),
    group(
      "a newline deleted and put back", [(5, 1, ""), (5, 0, "\n")], "p0 p1 p2",
      "alpha\nbeta\ngamma",
      "didEdit 0 p0 {0, 6}, didEdit 1 p1 {6, 5}, shouldSetStyle 0 p0 {0, 6}"),
    group(
      "a paragraph that came and went", [(8, 0, "\n"), (8, 1, "")], "p0 p1 p2",
      "alpha\nbeta\ngamma", "didEdit 1 p1 {6, 5}"),
    group(
      "attributes, then characters elsewhere", [(11, 5, nil), (0, 0, "x")], "p0 p1 p2",
      "xalpha\nbeta\ngamma",
      """
      didEdit 0 p0 {0, 7}, didEdit 1 p1 {7, 5}, didEdit 2 p2 {12, 5}, \
      shouldSetStyle 0 p0 {0, 7}, shouldSetStyle 2 p2 {12, 5}
      """),
    group(
      "attributes in two places", [(0, 1, nil), (11, 1, nil)], "p0 p1 p2",
      "alpha\nbeta\ngamma", "shouldSetStyle 0 p0 {0, 6}, shouldSetStyle 2 p2 {11, 5}"),
  ]
}
