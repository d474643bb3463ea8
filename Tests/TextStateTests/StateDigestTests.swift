import EditModel
import TestSupport
import Testing

@testable import TextState

@Suite struct StateDigestTests {
  private static let small = TreeLimits(leafCountMax: 2, childCountMax: 4)

  /// Digests of the state and of snapshots, taken at random moments, store hashes in nodes. Later
  /// edits must not use those that are out of date.
  @Test(arguments: seeds(24)) func `is that of the article`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [10, 60, 200][Int(seed % 3)])
    let limits = [Self.small, TreeLimits(leafCountMax: 8, childCountMax: 5), nil][Int(seed / 3 % 3)]
    var state = TextState(limits: limits)
    var oracle = OracleState()
    var snapshots: [(TextState, String)] = []
    for step in 0..<200 {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      guard generator.below(4) == 0 else { continue }
      let expected = DigestOracle.digest(oracle.units, oracle.runs, oracle.paragraphs.map(\.id))
      #expect(state.digest.description == expected, "step \(step)")
      #expect(state.invariantViolation() == nil)
      if generator.below(4) == 0 { snapshots.append((state, expected)) }
    }
    for (state, expected) in snapshots { #expect(state.digest.description == expected) }
  }

  @Test func `long texts and leaves of every fill`() throws {
    for count in [1, 15, 16, 17, 31, 33, 4096, 4097, 30_000] {
      let units = (0..<count).map { UInt16(truncatingIfNeeded: $0 &* 40_503) }
      var state = TextState()
      try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units)))
      try state.apply(EditAction(replacing: UTF16Range(count / 2..<count / 2), with: "x"))
      #expect(state.digest.description == DigestOracle.digest(state))
    }
  }

  @Test(arguments: UInt64(0)..<40) func `does not tell how the content came about`(
    seed: UInt64
  ) throws {
    var generator = EditGenerator(seed: seed)
    var (state, other) = (TextState(), TextState(limits: Self.small))
    for _ in 0..<100 {
      let action = generator.action(length: state.length)
      #expect((try? state.apply(action)) == (try? other.apply(action)))
      _ = other.digest
    }
    let stored = try TextState(
      sequence: state.sequence, text: state.text, attributeRuns: state.attributeRuns,
      paragraphs: state.paragraphs)
    #expect(state.digest == other.digest && state.digest == stored.digest)

    // There and back again, and through edits that change nothing: another sequence number.
    let before = state.digest
    let end = UTF16Range(state.length..<state.length)
    let change = try state.apply(EditAction(replacing: end, with: "there"), capturingRemoved: true)
    #expect(state.digest.text != before.text)
    try state.apply(try #require(change.inverse))
    #expect(state.digest == before && state != stored)
  }

  /// The vectors of the article.
  @Test(arguments: DigestVector.all) func `test vectors`(vector: DigestVector) throws {
    let digest = try vector.state().digest
    #expect("\(digest.text)" == vector.text)
    #expect("\(digest.attributes)" == vector.attributes)
    #expect("\(digest.paragraphs)" == vector.paragraphs)
    #expect("\(digest)" == vector.text + vector.attributes + vector.paragraphs)
    #expect(DigestOracle.digest(try vector.state()) == "\(digest)")
  }
}

// MARK: - What differs

extension StateDigestTests {
  private func state(
    _ text: UTF16Text, _ runs: [AttributeRun]? = nil, _ ids: [(UInt64, UInt32)] = [(0, 0)]
  ) throws -> TextState {
    var (paragraphs, start): ([ParagraphDescriptor], Int) = ([], 0)
    for (piece, id) in zip(OracleState.split(text.units), ids) {
      let range = UTF16Range(start..<start + piece.count)
      let id = ParagraphID(sequence: id.0, ordinal: id.1)
      paragraphs.append(ParagraphDescriptor(id: id, range: range))
      start = range.upperBound
    }
    let plain = text.isEmpty ? [] : [AttributeRun(length: text.count, attributes: .empty)]
    return try TextState(
      sequence: 1 << 40, text: text, attributeRuns: runs ?? plain, paragraphs: paragraphs)
  }

  @Test func `tells texts apart`() throws {
    let texts: [[UInt16]] = [
      [], [0], [0, 0], [1], [0, 1], [1, 0], [0x41], [0x61], [0xD83D], [0xDE00], [0xFFFF], [0x85],
      [0xE9], [0x65, 0x301],
    ]
    let digests = try texts.map { try state(UTF16Text(units: $0)).digest }
    #expect(Set(digests.map(\.text)).count == texts.count)
    #expect(Set(digests.map(\.paragraphs)).count == 1)
    // Where a paragraph ends is a matter of the text alone.
    let ids: [(UInt64, UInt32)] = [(0, 0), (1, 0)]
    let (a, b) = (try state("a\nbc", nil, ids).digest, try state("ab\nc", nil, ids).digest)
    #expect(a.text != b.text && a.attributes == b.attributes && a.paragraphs == b.paragraphs)
  }

  @Test func `tells attributes apart`() throws {
    let values: [AttributeValue] = [
      .bool(false), .bool(true), .integer(0), .integer(1), .integer(-1), .integer(1 << 32),
      .double(0), .double(-0.0), .double(1), .double(.nan), .double(.infinity), .string(""),
      .string("é"), .string("e\u{301}"), .string("\0"), .bytes([]), .bytes([0]), .bytes([0, 0]),
      .bytes([0xC3, 0xA9]), .list([]), .list([.list([])]), .list([.bool(false)]),
      .list([.integer(0)]), .list([.bool(false), .bool(false)]), .map([:]),
      .map(["": .bool(false)]), .map(["a": .bool(false)]), .map(["a": .map([:])]),
    ]
    var sets: [AttributeSet] = values.map { ["a": $0] }
    sets += [.empty, ["": .bool(false)], ["é": .bool(false)], ["e\u{301}": .bool(false)]]
    sets += [["a": .bool(false), "b": .bool(false)], ["ab": .bool(false)]]
    let digests = try sets.map { try state("ab", [AttributeRun(length: 2, attributes: $0)]).digest }
    #expect(Set(digests.map(\.attributes)).count == sets.count)
    #expect(Set(digests.map(\.text)).count == 1)

    // The same sets over other lengths, and in another order.
    let (bold, plain): (AttributeSet, AttributeSet) = (["a": .bool(true)], .empty)
    let runs = [[(1, bold), (2, plain)], [(2, bold), (1, plain)], [(1, plain), (2, bold)]]
    let cut = try runs.map { runs in
      try state("abc", runs.map { AttributeRun(length: $0.0, attributes: $0.1) }).digest.attributes
    }
    #expect(Set(cut).count == runs.count)
  }

  @Test func `equal attributes have equal digests`() throws {
    func digest(_ values: [Double]) throws -> StateDigest {
      try state(
        "abc", values.map { AttributeRun(length: 1, attributes: ["size": .double($0)]) }
      ).digest
    }
    let nans = [Double.nan, -.nan, Double(nan: 7, signaling: false)]
    #expect(try digest(nans) == digest([.nan, .nan, .nan]))
    let (ab, ba): (AttributeSet, AttributeSet) = (
      ["a": .bool(true), "b": .integer(1)], ["b": .integer(1), "a": .bool(true)]
    )
    #expect(
      try state("x", [AttributeRun(length: 1, attributes: ab)]).digest
        == state("x", [AttributeRun(length: 1, attributes: ba)]).digest)
  }

  @Test func `tells paragraphs apart`() throws {
    let ids: [[(UInt64, UInt32)]] = [
      [(0, 0), (0, 1)], [(0, 1), (0, 0)], [(0, 0), (1, 0)], [(1, 0), (0, 0)],
      [(0, 0), (1 << 32, 0)],
      [(1, 0), (1, 1)], [(1, 1), (1, 0)],
    ]
    let digests = try ids.map { try state("a\nb", nil, $0).digest }
    #expect(Set(digests.map(\.paragraphs)).count == ids.count)
    #expect(Set(digests.map(\.text)).count == 1 && Set(digests.map(\.attributes)).count == 1)
  }
}

// MARK: - Cost, threads

extension StateDigestTests {
  /// A text of many leaves of each kind.
  private func large(lineCount: Int) throws -> TextState {
    var state = TextState()
    let line = "a line of some thirty characters\n"
    let text = UTF16Text(String(repeating: line, count: lineCount))
    let runs = (0..<2 * lineCount).map {
      let length = $0 % 2 == 0 ? 10 : line.utf16.count - 10
      return AttributeRun(length: length, attributes: ["n": .integer(Int64($0 % 7))])
    }
    try state.apply(
      EditAction(range: UTF16Range(0..<0), replacement: text, attributes: .set(runs)))
    return state
  }

  @Test func `an edit hashes what it changed again, and no more`() throws {
    var state = try large(lineCount: 2_000)
    var hashed = 0
    _ = state.digest(&hashed)
    #expect(hashed == state.length + state.paragraphCount + state.attributeRuns.count)

    var random = SplitMix64(seed: 1)
    // In each tree the leaf last edited, in two halves perhaps, and the one before.
    let bound = 4 * (UInt16.leafCountMax + ParagraphRecord.leafCountMax + RunRecord.leafCountMax)
    for step in 0..<50 {
      let snapshot = step % 3 == 0 ? state : nil
      let offset = Int.random(in: 0...state.length, using: &random)
      let text: UTF16Text = step % 2 == 0 ? "x" : "x\ny"
      try state.apply(EditAction(replacing: UTF16Range(offset..<offset), with: text))
      hashed = 0
      let digest = state.digest(&hashed)
      #expect(hashed <= bound)
      if step % 25 == 0 { #expect("\(digest)" == DigestOracle.digest(state)) }
      if step % 24 == 0, let snapshot {
        hashed = 0
        #expect("\(snapshot.digest(&hashed))" == DigestOracle.digest(snapshot))
        #expect(hashed <= bound)
      }
    }
  }

  /// To be run with the thread sanitizer as well.
  @Test func `threads may digest one state at once, and edit copies of it`() async throws {
    let state = try large(lineCount: 500)
    let expected = DigestOracle.digest(state)
    await withTaskGroup(of: (StateDigest, String, String).self) { group in
      for number in 0..<8 {
        group.addTask {
          let digest = state.digest
          var copy = state
          for step in 0..<20 {
            let offset = (number * 7919 + step * 15_485_863) % copy.length
            let edit = EditAction(replacing: UTF16Range(offset..<offset), with: "x\n")
            guard (try? copy.apply(edit)) != nil else { continue }
            if step % 5 == 0 { _ = copy.digest }
          }
          return (digest, "\(copy.digest)", DigestOracle.digest(copy))
        }
      }
      for await (digest, copied, copiedExpected) in group {
        #expect("\(digest)" == expected && copied == copiedExpected)
      }
    }
  }
}
