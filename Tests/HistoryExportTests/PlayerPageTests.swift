import Testing

@testable import HistoryExport

/// The page: its policy, and text that tries to escape.
@Suite struct PlayerPageTests {
  private func page(_ title: String, _ data: [UInt8] = [1, 2, 3]) -> String {
    String(decoding: PlayerPage.html(title: title, data: data), as: UTF8.self)
  }

  @Test func allPlacesAreFilledIn() {
    let page = page("a title")
    #expect(!page.contains("{{"))
    #expect(page.contains("<title>a title</title>"))
    #expect(page.contains("default-src 'none'; script-src 'sha256-"))
    #expect(page.contains(#"id="data">AQID</script>"#))
    #expect(!page.contains("http://") && !page.contains("https://"))
  }

  @Test(arguments: ["</title><script>alert(1)</script>", "{{script}}", "\u{0}\u{1B}", "\"'&<>"])
  func aTitleStaysText(title: String) {
    let page = page(title)
    let count = page.components(of: "<script").count
    #expect(count == self.page("x").components(of: "<script").count)
    #expect(!page.unicodeScalars.contains("\0"))
  }

  /// The budget of issue 15: 60 kB of code, compressed, and 100 kB in all besides the data.
  @Test func theCodeIsSmall() throws {
    let bytes = PlayerPage.html(title: "x", data: [])
    #expect(bytes.count < 90_000)
    #expect(try Deflate.packed(bytes).count < 30_000)
  }
}

extension String {
  /// The parts between occurrences of a text.
  fileprivate func components(of separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
