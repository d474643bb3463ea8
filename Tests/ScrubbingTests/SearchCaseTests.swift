import Scrubbing
import Testing

/// Whether the case of letters matters to a search.
@Suite struct SearchCaseTests {
  @Test(arguments: ["bees", "", "42", "\\Sx", "\\\\x", "ä", "日本", "(?-i)bees", "bees\\"])
  func `a pattern without capital letters ignores case`(pattern: String) {
    #expect(SearchCase.isIgnored(by: pattern))
  }

  @Test(arguments: ["Bees", "beeS", "\\\\S", "\\SS", "Ä", "[A-Z]"])
  func `a pattern with a capital letter does not`(pattern: String) {
    #expect(!SearchCase.isIgnored(by: pattern))
  }
}
