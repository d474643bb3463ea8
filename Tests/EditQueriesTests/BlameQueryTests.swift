import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing
import TextState

/// The text of a history as an array of units, each with the edit that put it there.
private struct SlowText {
  struct Unit: Hashable {
    var writer: SequenceNumber
    /// The number of the unit among those that its edit inserted.
    var index: Int
  }

  private(set) var units: [Unit] = []
  /// The edit that removed each unit that is gone.
  private(set) var removals: [Unit: SequenceNumber] = [:]

  mutating func apply(_ edit: Edit) {
    guard let text = edit.action.replacement else { return }
    let range = edit.action.range.bounds
    for unit in units[range] { removals[unit] = edit.sequence }
    units.replaceSubrange(
      range, with: (0..<text.count).map { Unit(writer: edit.sequence, index: $0) })
  }
}

/// Writers and fates of pieces, against an array of units.
@Suite struct BlameQueryTests {
  private let history: HistoryReference
  init() throws { history = HistoryReference(try #require(DocumentID(QueryBench.name))) }

  /// A seeded history that undoes and moves nothing: its edits are ten minutes apart, and no text
  /// occurs twice.
  private func plainHistory(seed: UInt64) throws -> MixedHistory {
    var next: UInt16 = 0x4E00
    var entries: [HistoryEntry] = []
    for edit in MixedHistory(seed: seed, editCount: 80).edits {
      let text = edit.action.replacement.map { old in
        UTF16Text(
          units: old.units.map { _ in
            next = next == 0x9FFF ? 0x4E00 : next + 1
            return next
          })
      }
      let time = Timestamp(nanoseconds: Int64(edit.sequence) * 600_000_000_000)
      let action = try EditAction(
        range: edit.action.range, replacement: text, attributes: edit.action.attributes)
      entries.append(
        .edit(
          Edit(
            sequence: edit.sequence, action: action, author: edit.author, session: edit.session,
            time: time)))
    }
    return MixedHistory(entries)
  }

  private func texts(_ bench: QueryBench) -> [SlowText] {
    bench.mixed.edits.reduce(into: [SlowText()]) { texts, edit in
      var text = texts[texts.count - 1]
      text.apply(edit)
      texts.append(text)
    }
  }

  private func pieces(
    _ bench: QueryBench, _ request: BlameRequest
  ) async throws -> [ShownBlamePiece] {
    var (request, pieces) = (request, [ShownBlamePiece]())
    while true {
      let answer = try await bench.engine.answer(request)
      #expect(answer.pieces.count <= request.part.limit)
      pieces += answer.pieces
      guard let next = answer.next else { return pieces }
      request.part.at = .sequence(answer.sequence)
      request.part.offset = next
    }
  }

  /// Pieces cover the range in order, are as long as possible, and have the text of the version.
  private func check(
    _ pieces: [ShownBlamePiece], cover range: UTF16Range, of state: TextState
  ) {
    var end = range.location
    for piece in pieces {
      #expect(piece.range.location == end && piece.range.length > 0)
      #expect(state.text(in: piece.range) == piece.text)
      end = piece.range.upperBound
    }
    #expect(end == range.upperBound)
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      #expect(piece.stamp.sequence != next.stamp.sequence)
    }
  }

  private func writers(_ pieces: [ShownBlamePiece]) -> [SequenceNumber] {
    pieces.flatMap { Array(repeating: $0.stamp.sequence, count: $0.range.length) }
  }

  @Test(arguments: UInt64(0)..<4)
  func theLastWriterIsTheEditThatInserted(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 80)
    let texts = texts(bench)
    for version in stride(from: 0, to: texts.count, by: 9) {
      let at = PointExpression.sequence(SequenceNumber(version))
      for limit in [1, 7, 1_000] {
        let part = BlamePart(at: at, limit: limit)
        let found = try await pieces(bench, BlameRequest(history, part, noMoves: true))
        check(found, cover: UTF16Range(0..<bench.states[version].length), of: bench.states[version])
        #expect(writers(found) == texts[version].units.map(\.writer), "\(seed) at \(version)")
        for piece in found {
          let edit = bench.mixed.edits[Int(piece.stamp.sequence) - 1]
          #expect(piece.stamp.time == edit.time && piece.stamp.author == edit.author)
          #expect(piece.stamp.origin == edit.origin && piece.session == edit.session)
        }
        #expect(try await pieces(bench, BlameRequest(history, part, last: true)) == found)
      }
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func withoutMovesAndUndosBothRulesAgree(seed: UInt64) async throws {
    let bench = try QueryBench(try plainHistory(seed: seed))
    let texts = texts(bench)
    for version in stride(from: 0, to: texts.count, by: 9) {
      let part = BlamePart(at: .sequence(SequenceNumber(version)))
      let found = try await pieces(bench, BlameRequest(history, part))
      #expect(writers(found) == texts[version].units.map(\.writer), "\(seed) at \(version)")
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func linesAreAPartOfTheText(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 80)
    let state = try #require(bench.states.last)
    let all = try await pieces(bench, BlameRequest(history))
    for line in 0..<state.lineCount {
      for last in [line, state.lineCount - 1] {
        let range = UTF16Range(
          state.lineRange(line).location..<state.lineRange(last).upperBound)
        let part = BlamePart(lines: line + 1...last + 1)
        let found = try await pieces(bench, BlameRequest(history, part))
        check(found, cover: range, of: state)
        #expect(writers(found) == Array(writers(all)[range.bounds]))
      }
    }
    for lines in [1...state.lineCount + 1, Int.max...Int.max] {
      let request = BlameRequest(history, BlamePart(lines: lines))
      let error = await #expect(throws: ProtocolError.self) {
        try await bench.engine.answer(request)
      }
      #expect(error?.code == .unknownPoint)
      #expect(error?.message.contains("1 to \(state.lineCount)") == true)
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func fatesAreThoseOfTheUnits(seed: UInt64) async throws {
    let bench = try QueryBench(try plainHistory(seed: seed))
    let texts = texts(bench)
    for version in stride(from: 0, to: texts.count, by: 9) {
      for later in Set([version, (version + texts.count - 1) / 2, texts.count - 1]) {
        let now = Dictionary(
          uniqueKeysWithValues: texts[later].units.enumerated().map { ($1, $0) })
        for limit in [1, 1_000] {
          var fates: [ShownPieceFate] = []
          var offset: Int? = 0
          while let next = offset {
            let part = BlamePart(
              at: .sequence(SequenceNumber(version)), offset: next, limit: limit)
            let answer = try await bench.engine.answer(
              BlameReverseRequest(history, part, to: .sequence(SequenceNumber(later))))
            #expect(answer.to == SequenceNumber(later))
            fates += answer.pieces
            offset = answer.next
          }
          var units = texts[version].units[...]
          for fate in fates {
            #expect(bench.states[version].text(in: fate.range) == fate.text)
            #expect((fate.now == nil) != (fate.vanished == nil))
            for index in 0..<fate.range.length {
              let unit = try #require(units.first)
              units = units.dropFirst()
              #expect(now[unit] == fate.now.map { $0 + index })
              if let vanished = fate.vanished {
                #expect(vanished.sequence == texts[later].removals[unit])
              }
            }
          }
          #expect(units.isEmpty)
        }
      }
    }
  }

  /// "abcdef" becomes "xbcdey"; the undo of both replacements is two edits. Between them the text is
  /// "xbcdef".
  @Test func theFatesOfAVersionInsideAnUndo() async throws {
    func replace(_ sequence: SequenceNumber, _ place: Int, _ text: UTF16Text, _ length: Int = 1)
      -> Edit
    {
      Edit(
        sequence: sequence,
        action: EditAction(replacing: UTF16Range(place..<place + length), with: text),
        origin: (4...5).contains(sequence) ? .undo : .paste,
        transaction: sequence == 5 ? 4 : sequence)
    }
    let time = Timestamp(nanoseconds: 0)
    let undone = UndoneChange(undone: SequenceSet(2...3))
    let bench = try QueryBench(
      MixedHistory([
        .edit(replace(1, 0, "abcdef", 0)), .edit(replace(2, 0, "x")), .edit(replace(3, 5, "y")),
        .event(HistoryEvent(kind: .undo(undone, to: 1), after: 3, time: time)),
        .edit(replace(4, 5, "f")), .edit(replace(5, 0, "a")), .edit(replace(6, 2, "C")),
      ]))
    #expect(bench.states[4].text == "xbcdef" && bench.states[6].text == "abCdef")
    let part = BlamePart(at: .sequence(4))
    let answer = try await bench.engine.answer(
      BlameReverseRequest(history, part, to: .sequence(6)))
    #expect(answer.pieces.map(\.text) == ["x", "b", "c", "def"])
    #expect(answer.pieces.map(\.now) == [nil, 1, nil, 3])
    #expect(answer.pieces.map(\.vanished?.sequence) == [5, nil, 6, nil])
  }

  @Test func theClientIsThatOfTheLastSessionEvent() async throws {
    let session = try #require(SessionID("run"))
    var entries: [HistoryEntry] = []
    func add(_ client: String) throws {
      let description = try #require(SessionDescription(client: client))
      entries.append(
        .event(
          HistoryEvent(
            kind: .session(description), after: SequenceNumber(entries.count / 2),
            time: Timestamp(nanoseconds: 0), session: session)))
      let sequence = SequenceNumber(entries.count / 2) + 1
      let place = Int(sequence) - 1
      entries.append(
        .edit(
          Edit(
            sequence: sequence,
            action: EditAction(replacing: UTF16Range(place..<place), with: "x"),
            session: session)))
    }
    try add("Neovim")
    try add("Emacs")
    entries.append(
      .edit(
        Edit(
          sequence: 3, action: EditAction(replacing: UTF16Range(2..<2), with: "y"),
          session: SessionID("other"))))
    let bench = try QueryBench(MixedHistory(entries))
    let found = try await pieces(bench, BlameRequest(history))
    #expect(found.map(\.client) == ["Neovim", "Emacs", nil])
    #expect(found.map(\.session?.name) == ["run", "run", "other"])
  }

  /// A piece that is longer than an answer comes in parts.
  @Test func aLongPieceIsSplit() async throws {
    let units = [UInt16](repeating: 0x61, count: BlamePart.textLengthMax + 5)
    let action = EditAction(
      replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
    let bench = try QueryBench(MixedHistory([.edit(Edit(sequence: 1, action: action))]))
    let found = try await pieces(bench, BlameRequest(history))
    #expect(found.map(\.range.length) == [BlamePart.textLengthMax, 5])
    #expect(found.map(\.stamp.sequence) == [1, 1])
  }
}
