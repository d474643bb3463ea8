extension IdentityCase {
  private static let words = [(location: 0, length: 0, text: "alpha\nbeta\ngamma")]

  /// An edit of three paragraphs: p0 `alpha` {0, 6}, p1 `beta` {6, 5}, p2 `gamma` {11, 5}.
  private static func words(
    _ name: String, _ location: Int, _ length: Int, _ text: String, _ ids: String,
    _ result: String, _ events: String
  ) -> IdentityCase {
    IdentityCase(
      name: name, steps: words, edit: (location, length, text), ids: ids, text: result,
      events: events)
  }

  /// An edit of some other text.
  private static func on(
    _ before: String, _ name: String, _ location: Int, _ length: Int, _ text: String,
    _ ids: String, _ result: String, _ events: String
  ) -> IdentityCase {
    IdentityCase(
      name: name, steps: [(0, 0, before)], edit: (location, length, text), ids: ids,
      text: result, events: events)
  }

  /// What each kind of keystroke does to identities.
  static let keystrokes: [IdentityCase] = [
    words(
      "type inside", 8, 0, "x", "p0 p1 p2", "alpha\nbexta\ngamma", "edited 1 p1 6"),
    words(
      "Return in the middle", 8, 0, "\n", "p0 p1 p3 p2", "alpha\nbe\nta\ngamma",
      "edited 1 p1 3, inserted 2 p3 3"),
    words(
      "Return at the end", 10, 0, "\n", "p0 p1 p3 p2", "alpha\nbeta\n\ngamma",
      "inserted 2 p3 1"),
    words(
      "Return at the start", 6, 0, "\n", "p0 p3 p1 p2", "alpha\n\nbeta\ngamma",
      "inserted 1 p3 1"),
    words(
      "Return at 0", 0, 0, "\n", "p3 p0 p1 p2", "\nalpha\nbeta\ngamma", "inserted 0 p3 1"),
    on(
      "a\n\nb", "Return on a blank line", 2, 0, "\n", "p0 p1 p3 p2", "a\n\n\nb",
      "inserted 2 p3 1"),
    words(
      "delete a newline", 5, 1, "", "p0 p2", "alphabeta\ngamma",
      "removed 1 p1, edited 0 p0 10"),
    on("\nb", "backspace below a blank line", 0, 1, "", "p1", "b", "removed 0 p0"),
    words(
      "delete the first with its newline", 0, 6, "", "p1 p2", "beta\ngamma", "removed 0 p0"),
    words(
      "delete a middle one with its newline", 6, 5, "", "p0 p2", "alpha\ngamma",
      "removed 1 p1"),
    words(
      "delete the last with the newline before", 10, 6, "", "p0 p1", "alpha\nbeta",
      "removed 2 p2, edited 1 p1 4"),
    words("delete the last one's text", 11, 5, "", "p0 p1 p2", "alpha\nbeta\n", "edited 2 p2 0"),
    words(
      "delete everything", 0, 16, "", "p0", "", "removed 2 p2, removed 1 p1, edited 0 p0 0"),
    IdentityCase(
      name: "type into the emptied text", steps: words + [(0, 16, "")], edit: (0, 0, "x"),
      ids: "p0", text: "x", events: "edited 0 p0 1"),
    words(
      "paste lines inside", 8, 0, "1\n2\n3", "p0 p1 p3 p4 p2", "alpha\nbe1\n2\n3ta\ngamma",
      "edited 1 p1 4, inserted 2 p3 2, inserted 3 p4 4"),
    words(
      "paste lines at the start", 6, 0, "1\n2\n", "p0 p3 p4 p1 p2",
      "alpha\n1\n2\nbeta\ngamma", "inserted 1 p3 2, inserted 2 p4 2"),
    words(
      "paste lines at the end", 16, 0, "\n1\n2", "p0 p1 p2 p3 p4",
      "alpha\nbeta\ngamma\n1\n2", "edited 2 p2 6, inserted 3 p3 2, inserted 4 p4 1"),
    words(
      "append a newline", 16, 0, "\n", "p0 p1 p2 p3", "alpha\nbeta\ngamma\n",
      "edited 2 p2 6, inserted 3 p3 0"),
    on("a\n", "type into the empty last one", 2, 0, "x", "p0 p1", "a\nx", "edited 1 p1 1"),
    on("a\n", "delete the last newline", 1, 1, "", "p0", "a", "removed 1 p1, edited 0 p0 1"),
    words(
      "replace across 1 newline by 1", 4, 4, "X\nY", "p0 p1 p2", "alphX\nYta\ngamma",
      "edited 0 p0 6, edited 1 p1 4"),
    words(
      "replace across 1 newline by 2", 4, 4, "X\nY\nZ", "p0 p3 p1 p2",
      "alphX\nY\nZta\ngamma", "edited 0 p0 6, inserted 1 p3 2, edited 2 p1 4"),
    words(
      "replace across 2 newlines by none", 4, 8, "X", "p0", "alphXamma",
      "removed 2 p2, removed 1 p1, edited 0 p0 9"),
    words(
      "replace 3 by 2", 4, 8, "X\nY", "p0 p2", "alphX\nYamma",
      "removed 1 p1, edited 0 p0 6, edited 1 p2 5"),
    words(
      "replace 3 by 2, the last unchanged", 4, 7, "X\n", "p0 p2", "alphX\ngamma",
      "removed 1 p1, edited 0 p0 6"),
    words(
      "replace 3 by 4", 4, 8, "X\nY\nZ\nW", "p0 p1 p3 p2", "alphX\nY\nZ\nWamma",
      "edited 0 p0 6, edited 1 p1 2, inserted 2 p3 2, edited 3 p2 5"),
    words("replace a word by itself", 6, 4, "beta", "p0 p1 p2", "alpha\nbeta\ngamma", ""),
    words("replace nothing by nothing", 6, 0, "", "p0 p1 p2", "alpha\nbeta\ngamma", ""),
  ]

  /// Terminators, and the joints of CR LF.
  static let terminators: [IdentityCase] = [
    on("a\rb\r\nc\u{2029}d", "all four", 0, 0, "", "p0 p1 p2 p3", "a\rb\r\nc\u{2029}d", ""),
    on(
      "a\u{2028}b\u{85}c\u{B}d\u{C}e", "none of these", 0, 0, "", "p0",
      "a\u{2028}b\u{85}c\u{B}d\u{C}e", ""),
    on("a\rb", "an LF completes the CR before", 2, 0, "\n", "p0 p1", "a\r\nb", "edited 0 p0 3"),
    on(
      "a\rb", "an LF and more after a CR", 2, 0, "\nx", "p0 p1", "a\r\nxb",
      "edited 0 p0 3, edited 1 p1 2"),
    on("a\nb", "a CR before an LF", 1, 0, "\r", "p0 p1", "a\r\nb", "edited 0 p0 3"),
    on(
      "a\r\nb", "text inside a CR LF", 2, 0, "x", "p0 p2 p1", "a\rx\nb",
      "edited 0 p0 2, inserted 1 p2 2"),
    on(
      "a\rx\nb", "CR and LF meet", 2, 1, "", "p0 p2", "a\r\nb",
      "removed 1 p1, edited 0 p0 3"),
    on("a\r\nb", "delete the LF of a CR LF", 2, 1, "", "p0 p1", "a\rb", "edited 0 p0 2"),
    on("a\r\nb", "delete the CR of a CR LF", 1, 1, "", "p0 p1", "a\nb", "edited 0 p0 2"),
    on("a\r\nb", "join over a CR LF", 1, 2, "", "p0", "ab", "removed 1 p1, edited 0 p0 2"),
    on("a\r\r\n\nb", "CRs and LFs alone", 0, 0, "", "p0 p1 p2 p3", "a\r\r\n\nb", ""),
    on("a\r\n\r\nb", "from LF to CR", 2, 2, "", "p0 p2", "a\r\nb", "removed 1 p1"),
  ]
}
