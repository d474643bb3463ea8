import EditModel
import Testing

/// What an entry says in words is compared by bytes, as it is stored.
@Suite struct ExactEqualityTests {
  private func check<Value: Hashable>(_ make: (String) throws -> Value) rethrows {
    let (composed, decomposed) = (try make("é"), try make("e\u{301}"))
    let again = try make("\u{E9}")
    #expect(composed == again && composed.hashValue == again.hashValue)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, again]).count == 2)
  }

  @Test func wordsAreComparedByBytes() throws {
    let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
    check { Edit(sequence: 1, action: action, author: $0) }
    check { Edit(sequence: 1, action: action, session: SessionID($0)) }
    check {
      HistoryEvent(
        kind: .closed(unsaved: false), after: 1, time: Timestamp(nanoseconds: 0), author: $0)
    }
    check { HistoryEvent.Kind.mark(label: $0, at: 1) }
    check { Point.mark($0) }
    check { AttributeChange.remove([$0]) }
    check { AttributeChange.set([AttributeRun(length: 1, attributes: [$0: .bool(true)])]) }
    check { AttributeValue.string($0) }
    try check {
      try EditAction(
        range: UTF16Range(0..<1), replacement: nil, attributes: .remove(["a", $0]))
    }
  }

  @Test func authorsComeBack() {
    let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
    var edit = Edit(sequence: 1, action: action, author: "e\u{301}")
    #expect(edit.author.map { Array($0.utf8) } == [0x65, 0xCC, 0x81])
    edit.author = nil
    #expect(edit.author == nil && edit == Edit(sequence: 1, action: action))
  }

  @Test func kindsAndPointsDiffer() {
    let digest = [1, 2].compactMap { ContentDigest(bytes: [UInt8](repeating: $0, count: 32)) }
    var kinds: [HistoryEvent.Kind] = [
      .mark(label: "a", at: 1), .mark(label: "a", at: 2), .closed(unsaved: true),
      .closed(unsaved: false),
    ]
    for digest in digest { kinds += [.baseline(digest), .saved(digest)] }
    for ours in digest { kinds += digest.map { .divergence(ours: ours, theirs: $0) } }
    kinds += ["a", "b"].compactMap { DocumentID($0) }.map { .renamed(from: $0) }
    let descriptions = [
      SessionDescription(client: "a"), SessionDescription(client: "b"),
      SessionDescription(client: "a", version: "b"), SessionDescription(client: "a", host: "b"),
      SessionDescription(client: "a", process: 1),
    ]
    kinds += descriptions.compactMap { $0 }.map { .session($0) }
    for name in ["a", "b"].compactMap({ DocumentID($0) }) {
      kinds += [1, 2].map { .copied(from: name, at: $0) }
    }
    let sets = [SequenceSet(), SequenceSet(1...1), SequenceSet(1...2)]
    for set in sets { kinds.append(.undo(UndoneChange(undone: set), to: nil)) }
    kinds.append(.undo(UndoneChange(redone: sets[1]), to: nil))
    kinds.append(.undo(UndoneChange(redone: sets[1]), to: 1))
    #expect(kinds.count == 28)
    #expect(Set(kinds).count == kinds.count && kinds.allSatisfy { $0 == $0 })
    let points: [Point] = [
      .latest, .sequence(1), .sequence(2), .time(Timestamp(nanoseconds: 1)), .mark("1"),
    ]
    #expect(Set(points).count == points.count && points.allSatisfy { $0 == $0 })
  }
}
