import EditModel
import TestSupport
import Testing
import TextState

/// Lookups by numbers from outside, and the pieces of a range.
@Suite struct LookupTests {
  private func state(_ text: UTF16Text) throws -> TextState {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text))
    return state
  }

  private func error(_ body: () throws(PlaceError) -> Void) -> String? {
    do throws(PlaceError) { try body() } catch { return error.description }
    return nil
  }

  /// Every number from before the bounds to after them, and the greatest ones.
  @Test func whatIsOutsideIsRefused() throws {
    for text: UTF16Text in ["", "a", "a\n", "a\r\nb\u{2029}c", "\n\n"] {
      let state = try state(text)
      let numbers = Array(-2...state.length + 3) + [.min, .max]
      for number in numbers {
        let found = try? state.findParagraph(index: number)
        #expect((found != nil) == (0..<state.paragraphCount).contains(number))
        #expect(
          ((try? state.findParagraph(offset: number)) != nil) == (0...state.length).contains(number)
        )
        let refusal = error { () throws(PlaceError) in
          _ = try state.findAttributes(offset: number)
        }
        #expect((refusal == nil) == (0...state.length).contains(number))
        for other in numbers {
          if let range = UTF16Range(location: number, length: other) {
            let paragraphs = try? state.findParagraphs(in: range)
            #expect((paragraphs != nil) == (range.upperBound <= state.length))
          }
          let position = LinePosition(line: number, column: other)
          let offset = try? state.findOffset(position)
          if let offset { #expect(state.position(at: offset) == position) }
          let isInside =
            (0..<state.lineCount).contains(number) && other >= 0
            && other <= state.lineContentRange(number).length
          #expect((offset != nil) == isInside)
        }
      }
    }
  }

  @Test func errorsNameTheBounds() throws {
    let state = try state("one\ntwo")
    #expect(
      error { () throws(PlaceError) in _ = try state.findParagraph(index: 2) }
        == "there is no paragraph at index 2; the indices are 0 to 1")
    #expect(
      error { () throws(PlaceError) in _ = try state.findParagraph(offset: 8) }
        == "offset 8 is outside the text; the offsets are 0 to 7")
    #expect(
      error { () throws(PlaceError) in _ = try state.findParagraphs(in: UTF16Range(3..<9)) }
        == "range 3,6 is outside the text; it may end at most at 7, the length of the text")
    #expect(
      error { () throws(PlaceError) in
        _ = try state.findOffset(LinePosition(line: 2, column: 0))
      } == "there is no line 3; the lines are 1 to 2")
    #expect(
      error { () throws(PlaceError) in
        _ = try state.findOffset(LinePosition(line: 0, column: 4))
      } == "there is no column 5 in line 1; the columns are 1 to 4")
  }

  /// The three treatments of 000.7, at every range of a text.
  @Test(arguments: ["alpha\nbeta\n\ngamma", "a\nb\n", "", "\n", "x"] as [UTF16Text])
  func piecesOfARange(text: UTF16Text) throws {
    let state = try state(text)
    let all = state.paragraphs.map { $0.range }
    for lower in 0...state.length {
      for upper in lower...state.length {
        let range = UTF16Range(lower..<upper)
        // The paragraphs that the range touches, by a walk over all of them.
        var touched = all.indices.filter { index in
          all[index].bounds.overlaps(range.bounds) && !range.isEmpty
        }
        if touched.isEmpty { touched = [state.paragraphIndex(at: lower)] }
        let next = touched[touched.count - 1] + 1
        let exact = touched.map { all[$0] }
        func pieces(_ treatment: EmptyLastPiece) throws -> [UTF16Range] {
          try state.paragraphPieces(of: range, emptyLast: treatment).map(\.descriptor.range)
        }
        guard next < all.count else {
          for treatment in EmptyLastPiece.allCases { #expect(try pieces(treatment) == exact) }
          continue
        }
        let empty = UTF16Range(all[next].location..<all[next].location)
        #expect(try pieces(.keep) == exact + [empty])
        #expect(try pieces(.drop) == (empty.location == state.length ? exact + [empty] : exact))
        #expect(try pieces(.merge) == exact + [all[next]])
      }
    }
  }
}
