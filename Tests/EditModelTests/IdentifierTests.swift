import EditModel
import Testing

@Suite struct IdentifierTests {
  /// The numbers of the file format.
  @Test func originsKeepTheirNumbers() {
    let origins: [(Origin, UInt8, String)] = [
      (.typing, 0, "typing"), (.removal, 1, "removal"), (.paste, 2, "paste"), (.undo, 3, "undo"),
      (.redo, 4, "redo"), (.load, 5, "load"), (.format, 6, "format"), (.program, 7, "program"),
      (.external, 8, "external"),
    ]
    #expect(origins.count == Origin.allCases.count)
    for (origin, number, name) in origins {
      #expect(origin.rawValue == number && origin.name == name)
      #expect(Origin(name: name) == origin)
    }
    #expect(Origin(name: "Typing") == nil && Origin(rawValue: 9) == nil)
  }

  @Test(
    arguments: [("0.0", 0, 0), ("12.3", 12, 3), ("18446744073709551615.4294967295", .max, .max)]
      as [(String, UInt64, UInt32)])
  func paragraphIdentifiersAreRead(text: String, sequence: UInt64, ordinal: UInt32) {
    let id = ParagraphID(text)
    #expect(id == ParagraphID(sequence: sequence, ordinal: ordinal))
    #expect(id?.description == text)
  }

  @Test(arguments: [
    "", ".", "1", "1.", ".1", "1.2.3", "-1.0", "1.-1", "a.0", "1.0 ", "1..0", "+1.0", "1.+0",
    "01.0", "1.00",
    "18446744073709551616.0", "0.4294967296",
  ])
  func otherTextsAreNoIdentifiers(text: String) { #expect(ParagraphID(text) == nil) }

  @Test func paragraphsAreOrderedByBirth() {
    let ids = [(1, 1), (1, 0), (0, 5), (10, 0), (9, 9)].map {
      ParagraphID(sequence: $0.0, ordinal: UInt32($0.1))
    }
    #expect(ids.sorted().map(\.description) == ["0.5", "1.0", "1.1", "9.9", "10.0"])
  }

  @Test func namesHaveBounds() {
    #expect(DocumentID("") == nil && SessionID("") == nil)
    #expect(DocumentID(String(repeating: "é", count: DocumentID.sizeMax / 2)) != nil)
    #expect(DocumentID(String(repeating: "é", count: DocumentID.sizeMax / 2 + 1)) == nil)
    #expect(SessionID(String(repeating: "s", count: 128)) != nil)
    #expect(SessionID(String(repeating: "s", count: 129)) == nil)
    #expect(DocumentID("é") != DocumentID("e\u{301}") && DocumentID("é") == DocumentID("\u{E9}"))
    #expect(SessionID("é") != SessionID("e\u{301}") && SessionID("é") == SessionID("\u{E9}"))
    #expect(Set(["é", "e\u{301}", "\u{E9}"].map { SessionID($0) }).count == 2)
    #expect(Set(["é", "e\u{301}", "\u{E9}"].map { DocumentID($0) }).count == 2)
    #expect(ContentDigest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    #expect(ContentDigest(bytes: [UInt8](repeating: 0, count: 32)) != nil)
  }

  @Test func textKeepsLoneSurrogates() {
    var text = UTF16Text(units: [0xD83D])
    #expect(String(text) == "\u{FFFD}")
    text.append(UTF16Text(units: [0xDE00]))
    #expect(String(text) == "😀" && text.count == 2 && text == "😀")
  }
}
