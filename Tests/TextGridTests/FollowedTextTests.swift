import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

/// Several layouts of one document, each with its own width or pages.
@Suite struct FollowedTextTests {
  private static let page = PageFormat(width: 15, height: 4, columns: 2)

  @Test(arguments: seeds(12)) func `all followers show the document`(seed: UInt64) throws {
    var generator = TextGenerator(seed: seed)
    let text = FollowedText(state: try TextState(text: generator.text(pieces: 40)))
    var followers: [(LayoutFollower, width: Int?)] = []
    for edit in 0..<30 {
      if edit % 7 == 0 {
        let width = 1 + generator.below(30)
        followers.append(
          (text.follow(.rows(options: GridOptions(width: width), top: 0, rows: .max)), width))
        followers.append((text.follow(.page(format: Self.page, page: generator.below(2))), nil))
        // The late ones get a snapshot of what was edited before.
        let last = try #require(followers.last)
        #expect(text.update(last.0)?.isSnapshot == true)
        #expect(text.update(last.0)?.isSnapshot == false)
      }
      try text.apply(generator.action(length: text.state.length))
      for (follower, width) in followers where generator.below(3) > 0 {
        let update = try #require(text.update(follower))
        #expect(update.sequence == text.state.sequence)
        if let width {
          var fresh = GridLayout(options: GridOptions(width: width))
          #expect(
            update.rows == fresh.rows(from: .first, count: .max, of: text.state), "seed \(seed)")
        } else {
          var fresh = PagedLayout(format: Self.page)
          let pages = [fresh.page(0, of: text.state), fresh.page(1, of: text.state)]
          #expect(pages.contains { .page($0) == update.content }, "seed \(seed)")
        }
      }
    }
  }

  @Test func `a view stays at its text`() throws {
    let lines = (0..<200).map { "line \($0)\n" }.joined()
    let text = FollowedText(state: try TextState(text: UTF16Text(lines)))
    let top = lines.utf16.count / 2
    let follower = text.follow(.rows(options: GridOptions(width: 40), top: top, rows: 3))
    let before = try #require(text.update(follower))
    try text.apply(EditAction(replacing: UTF16Range(0..<7), with: "two\nlines\n"))
    let after = try #require(text.update(follower))
    #expect(
      after.rows.map { $0.fragments.map(\.shown) } == before.rows.map { $0.fragments.map(\.shown) })
    #expect(after.changedRows.isEmpty)
    // The rows in view were kept; the edit is not in view.
    #expect(after.work.windows == 0)
    // An edit in view: only its paragraph is laid out.
    let place = try #require(after.rows[1].units?.location)
    try text.apply(EditAction(replacing: UTF16Range(place..<place + 1), with: "L"))
    let edited = try #require(text.update(follower))
    #expect(edited.work.windows == 1)
    #expect(edited.changedRows == 1..<2)
    follower.scroll(to: 0)
    #expect(text.update(follower)?.rows.first?.fragments.first?.shown == "two")
  }

  /// Row 82 of the features: layouts come after the stages, see their result, and change nothing.
  @Test func `layouts see what stages derive`() throws {
    struct Headings: ParagraphFormats {
      let state: TextState
      func format(ofParagraph index: Int) -> ParagraphFormat {
        let range = state.paragraph(at: index).range
        let isHeading =
          !range.isEmpty && state.attribute("heading", at: range.location).value != nil
        return ParagraphFormat(rowsBefore: isHeading ? 1 : 0)
      }
    }
    var state = try TextState(text: "a\n# b\nc")
    let text = FollowedText(state: state) { Headings(state: $0) }
    let follower = text.follow(.rows(options: GridOptions(width: 9), top: 0, rows: 9))
    #expect(text.update(follower)?.rows.count == 3)
    let change = try state.apply(EditAction(replacing: UTF16Range(6..<6), with: "!"))
    // What a stage does: it changes attributes of the version, and no edit is logged.
    let heading = AttributeRun(length: 4, attributes: ["heading": .integer(1)])
    try state.applyDerived(
      EditAction(range: UTF16Range(2..<6), replacement: nil, attributes: .merge([heading])))
    text.advance(to: state, by: change)
    let update = try #require(text.update(follower))
    #expect(update.rows.map(\.kind) == [.text, .blank, .text, .text])
    #expect(update.sequence == 2 && text.state == state)
  }

  @Test func `pages before an edit are not laid out again`() throws {
    let lines = (0..<400).map { "line \($0)\n" }.joined()
    let text = FollowedText(state: try TextState(text: UTF16Text(lines)))
    let format = PageFormat(width: 20, height: 10)
    let follower = text.follow(.page(format: format, page: 30))
    _ = text.update(follower)
    try text.apply(
      EditAction(replacing: UTF16Range(text.state.length..<text.state.length), with: "x"))
    #expect(try #require(text.update(follower)).work.rows == 10)
    follower.turn(to: 99)
    #expect(text.update(follower)?.content == .page(nil))
  }

  @Test func `a released follower frees its cursor`() throws {
    let text = FollowedText()
    let other = FollowedText()
    let kept = text.follow(.rows(options: GridOptions(width: 9), top: 0, rows: 3))
    var dropped: LayoutFollower? = text.follow(.page(format: Self.page, page: 0))
    #expect(text.cursorCount == 2)
    #expect(dropped.map { text.update($0) != nil } == true)
    dropped = nil
    #expect(text.cursorCount == 1)
    #expect(other.update(kept) == nil)
    // A follower does not keep the document.
    weak var document: FollowedText?
    var last: LayoutFollower?
    do {
      let short = FollowedText()
      document = short
      last = short.follow(.rows(options: GridOptions(width: 9), top: 0, rows: 3))
    }
    #expect(document == nil && last != nil)
  }
}
