import EditModel
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct OutlineVerbTests {
  @Test func `sections are indented, with counts and their last edit`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "# One\ntext\n## Two\nmore text\n", .load)
    script.wait(seconds: 60)
    try script.replace(10..<10, " here")
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(OutlineCommand.self, ["d"])
    #expect(
      printed == """
        SECTION  PARAGRAPHS  WORDS  CHARACTERS  LAST EDIT
        One               2      3          14  2026-11-20 15:05:00
          Two             3      3          15  2026-11-20 15:04:00

        """)
    let (json, _, _) = try await store.run(OutlineCommand.self, ["d", "--at", "0", "--json"])
    #expect(
      json == """
        {"v":1,"level":0,"paragraph":0,"paragraphCount":1,"location":0,"length":0,"words":0,\
        "characters":0,"firstEdit":0,"lastEdit":0}

        """)
  }

  @Test func `the parts of a long outline are all of it`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, (0..<2_345).map { "# \($0)\n" }.joined(), .load)
    let store = try RealStore(script.entries)
    let (json, _, _) = try await store.run(OutlineCommand.self, ["d", "--json"])
    let lines = json.split(separator: "\n")
    #expect(lines.count == 2_345 && Set(lines).count == 2_345)
  }
}
