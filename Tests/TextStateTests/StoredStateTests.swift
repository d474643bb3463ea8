import EditModel
import TestSupport
import Testing

@testable import TextState

@Suite struct StoredStateTests {
  @Test(arguments: UInt64(0)..<50) func `comes back as it was`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    var state = TextState()
    for _ in 0..<60 { _ = try? state.apply(generator.action(length: state.length)) }
    var stored = try TextState(
      sequence: state.sequence, text: state.text, attributeRuns: state.attributeRuns,
      paragraphs: state.paragraphs)
    #expect(stored == state && stored.lineCount == state.lineCount)
    #expect(stored.invariantViolation() == nil)
    for _ in 0..<20 {
      let action = generator.action(length: state.length)
      #expect((try? stored.apply(action)) == (try? state.apply(action)))
    }
    #expect(stored == state)
  }

  @Test func `equal neighbours are joined`() throws {
    let runs = [1, 2].map { AttributeRun(length: $0, attributes: ["bold": .bool(true)]) }
    let state = try make(text: "abc", runs: runs, paragraphs: [(0, 0, 3)])
    #expect(state.attributeRuns.map(\.length) == [3])
  }

  private func make(
    sequence: SequenceNumber = 1, text: UTF16Text, runs: [AttributeRun]? = nil,
    paragraphs: [(sequence: SequenceNumber, location: Int, length: Int)]
  ) throws(TextStateError) -> TextState {
    let plain = text.isEmpty ? [] : [AttributeRun(length: text.count, attributes: .empty)]
    return try TextState(
      sequence: sequence, text: text, attributeRuns: runs ?? plain,
      paragraphs: paragraphs.map {
        ParagraphDescriptor(
          id: ParagraphID(sequence: $0.sequence, ordinal: 0),
          range: UTF16Range($0.location..<$0.location + $0.length))
      })
  }

  @Test(arguments: [[], [0], [2], [4], [1, 0, 2], [-1, 4], [1, 1], [Int.max, 4], [3, Int.max]])
  func `runs must cover the text`(lengths: [Int]) {
    #expect {
      try make(
        text: "abc", runs: lengths.map { AttributeRun(length: $0, attributes: .empty) },
        paragraphs: [(0, 0, 3)])
    } throws: { error in
      if case .runsDoNotCover(textLength: 3, _)? = error as? TextStateError { true } else { false }
    }
  }

  @Test(
    arguments: [
      // Too few, too many, cut elsewhere, a CR LF cut in two, a gap, moved.
      ("a\nb", [(0, 3)]), ("a\nb", [(0, 2)]), ("a\nb", []), ("ab", [(0, 1), (1, 1)]),
      ("a\nb", [(0, 2), (2, 1), (3, 0)]), ("a\n", [(0, 2)]), ("a\r\nb", [(0, 2), (2, 1), (3, 1)]),
      ("a\nb", [(0, 1), (1, 2)]), ("a\nb", [(0, 2), (3, 0)]), ("", []), ("", [(0, 1)]),
      ("ab", [(1, 2)]),
    ] as [(String, [(Int, Int)])])
  func `paragraphs must be where the terminators are`(
    text: String, ranges: [(Int, Int)]
  ) {
    let paragraphs = ranges.enumerated().map {
      (sequence: SequenceNumber($0), location: $1.0, length: $1.1)
    }
    #expect {
      try make(sequence: 9, text: UTF16Text(text), paragraphs: paragraphs)
    } throws: { error in
      if case .paragraphMisplaced? = error as? TextStateError { true } else { false }
    }
  }

  @Test func `identifiers must be unique and not too new`() {
    let repeated = ParagraphID(sequence: 1, ordinal: 0)
    #expect(throws: TextStateError.paragraphRepeated(repeated)) {
      try make(text: "\n\n", paragraphs: [(1, 0, 1), (0, 1, 1), (1, 2, 0)])
    }
    let new = ParagraphID(sequence: 2, ordinal: 0)
    #expect(throws: TextStateError.paragraphTooNew(new, sequence: 1)) {
      try make(text: "\n", paragraphs: [(0, 0, 1), (2, 1, 0)])
    }
  }

  @Test func `sequence numbers must leave room`() throws {
    let tooLarge = TextState.sequenceMax + 1
    #expect(throws: TextStateError.sequenceTooLarge(tooLarge)) {
      try make(sequence: tooLarge, text: "", paragraphs: [(0, 0, 0)])
    }
    var state = try make(sequence: TextState.sequenceMax, text: "", paragraphs: [(0, 0, 0)])
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "x"))
    #expect(state.sequence == tooLarge)
  }

  @Test func `errors say where`() {
    let errors: [(TextStateError, String)] = [
      (.textTooLong(length: 3_000_000_000), "3000000000"),
      (.paragraphMisplaced(index: 7, range: UTF16Range(1..<3), found: nil), "no place"),
      (.paragraphTooNew(ParagraphID(sequence: 12, ordinal: 3), sequence: 4), "12.3"),
    ]
    for (error, part) in errors { #expect(error.description.contains(part)) }
  }
}
