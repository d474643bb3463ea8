import Testing

@testable import Styling

@Suite struct RendererTableTests {
  private struct Note: Sendable { var text: String }

  private static let table = RendererTable<String>()
    .adding(Int.self, where: { number, _ in number > 10 }) { "large \($0)" }
    .adding(Int.self) { "number \($0)" }
    .adding(Int.self) { "never \($0)" }
    .adding(Note.self, where: { _, section in section == 1 }) { "second \($0.text)" }
    .adding(Note.self) { "note \($0.text)" }

  /// Row 78: the first candidate that fits, and optionals unwrapped.
  @Test func theFirstCandidateThatFitsIsTaken() {
    #expect(Self.table.output(for: 3) == "number 3")
    #expect(Self.table.output(for: 30) == "large 30")
    #expect(Self.table.output(for: Note(text: "a")) == "note a")
    #expect(Self.table.output(for: Note(text: "a"), in: 1) == "second a")
    #expect(Self.table.output(for: "text") == nil)
  }

  @Test func optionalsAreUnwrapped() {
    let once: Int? = 3
    let twice: Int?? = .some(.some(30))
    let none: Int? = nil
    let inner: Int?? = .some(nil)
    #expect(Self.table.output(for: once as Any) == "number 3")
    #expect(Self.table.output(for: twice as Any) == "large 30")
    #expect(Self.table.output(for: none as Any) == nil)
    #expect(Self.table.output(for: inner as Any) == nil)
  }

  @Test func aTableOfKindsOfParagraphs() {
    let kinds = RendererTable<String>()
      .adding(ParagraphKind.self, where: { kind, _ in kind.name == "heading" && kind.level <= 2 }) {
        "h\($0.level)"
      }
      .adding(ParagraphKind.self, where: { kind, _ in kind.name == "heading" }) { _ in "h3" }
      .adding(ParagraphKind.self) { _ in "p" }
    let all = [ParagraphKind("heading", level: 2), ParagraphKind("heading", level: 5), .paragraph]
    #expect(all.map { kinds.output(for: $0) } == ["h2", "h3", "p"])
  }
}
