import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Projections
import TestSupport
import Testing
import TextState

/// Inspection, details and histories of paragraphs, against projections of the same entries.
@Suite struct ParagraphQueryTests {
  private let history: HistoryReference
  init() throws { history = HistoryReference(try #require(DocumentID(QueryBench.name))) }

  private func runner(_ bench: QueryBench, through last: Int) throws -> ProjectionRunner {
    var runner = ProjectionRunner([ParagraphModels(), PositionalParagraphs()])
    for edit in bench.mixed.edits.prefix(last) { try runner.apply(edit) }
    return runner
  }

  /// Rows 4 and 25 of the features, against the values of single units.
  @Test(arguments: UInt64(0)..<3)
  func runsAreThoseOfUnits(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    for last in stride(from: 0, to: bench.states.count, by: 13) {
      let state = bench.states[last]
      var (attributes, identifiers): ([InspectedRun], [IdentifierRun]) = ([], [])
      var (next, limit): (Int?, Int) = (0, 1 + last % 5)
      while let skip = next {
        let part = try await bench.engine.answer(
          InspectRequest(
            history, at: .sequence(UInt64(last)), skip: skip, limit: limit, runs: true))
        let runs = try #require(part.runs)
        attributes += runs.attributes
        identifiers += runs.identifiers
        (next, limit) = (part.next, limit + 1)
      }
      #expect(attributes == expectedRuns(of: state), "seed \(seed), version \(last)")
      #expect(
        identifiers
          == state.paragraphs.filter { !$0.range.isEmpty }
          .map { IdentifierRun(id: $0.id, range: $0.range) })
    }
    let plain = try await bench.engine.answer(InspectRequest(history))
    #expect(plain.runs == nil)
  }

  private func expectedRuns(of state: TextState) -> [InspectedRun] {
    var runs: [InspectedRun] = []
    for offset in 0..<state.length {
      for (name, value) in state.attributes(at: offset).attributes {
        let before = offset > 0 ? state.attributes(at: offset - 1).attributes[name] : nil
        guard before != value else { continue }
        var end = offset
        while end < state.length, state.attributes(at: end).attributes[name] == value { end += 1 }
        let touched = state.paragraphs.filter {
          $0.range.location < end && $0.range.upperBound > offset
        }
        let expanded = UTF16Range(
          (touched.first?.range.location ?? 0)..<(touched.last?.range.upperBound ?? 0))
        runs.append(
          InspectedRun(
            InspectedAttribute(name: name, value: value, range: UTF16Range(offset..<end)),
            expanded: expanded))
      }
    }
    return runs
  }

  @Test(arguments: UInt64(0)..<3)
  func detailsAreThoseOfTheModels(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    for last in stride(from: 0, to: bench.states.count, by: 13) {
      let runner = try runner(bench, through: last)
      let models = try #require(runner[ParagraphModels.self])
      let positional = try #require(runner[PositionalParagraphs.self])
      var details = ParagraphsRequest.Details()
      (details.dead, details.life, details.lineage, details.positional) = (true, true, true, true)
      let at = PointExpression.sequence(UInt64(last))
      for limit in [2, 1_000] {
        var (rows, dead): ([ShownParagraph], [DeadParagraph]) = ([], [])
        var offset: Int? = 0
        while let next = offset {
          let part = try await bench.engine.answer(
            ParagraphsRequest(
              history, VersionPart(at: at, offset: next, limit: limit), details: details))
          #expect(part.paragraphs.count + part.dead.count <= limit)
          rows += part.paragraphs
          dead += part.dead
          offset = part.next
        }
        #expect(rows.map(\.id) == runner.state.paragraphs.map(\.id))
        #expect(rows.map(\.details.positional) == positional.ids)
        #expect(dead.map(\.id) == models.dead.map(\.id))
        #expect(dead.map(\.lastText) == models.dead.map { $0.death?.lastText })
        #expect(dead.map(\.died.sequence) == models.dead.map { $0.death?.stamp.sequence })
        let shown = rows.map { ($0.id, $0.details) } + dead.map { ($0.id, $0.details) }
        for (id, details) in shown {
          let model = try #require(models[id])
          #expect(details.life?.editCount == model.editCount)
          #expect(details.life?.born.sequence == model.born.sequence)
          #expect(details.life?.lastEdited.time == model.lastEdited.time)
          #expect(details.life?.authors == model.authors)
          #expect(details.lineage?.splitFrom == model.splitFrom)
          #expect(details.lineage?.mergedInto == model.mergedInto)
          #expect(details.lineage?.movedFrom == model.moves.map(\.paragraph))
        }
      }
    }
  }

  @Test(arguments: UInt64(0)..<3)
  func everyOffsetIsInspected(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let state = try #require(bench.states.last)
    for offset in 0...state.length {
      var place = PlaceReference()
      place.offset = offset
      let answer = try await bench.engine.answer(InspectRequest(history, place))
      let start = try #require(answer.start)
      let position = state.position(at: offset)
      #expect(start.position == TextPosition(line: position.line + 1, column: position.column + 1))
      #expect(
        answer.paragraphs.map(\.id) == [state.paragraph(at: state.paragraphIndex(at: offset)).id])
      #expect(
        Set(start.attributes.map(\.name))
          == Set(offset < state.length ? state.attributes(at: offset).attributes.map(\.name) : []))
      for attribute in start.attributes {
        // The value holds over the range, and over no unit beside it.
        let range = attribute.range.bounds
        #expect(range.contains(offset))
        for unit in max(0, range.lowerBound - 1)..<min(state.length, range.upperBound + 1) {
          let value = state.attributes(at: unit).attributes[attribute.name]
          #expect((value == attribute.value) == range.contains(unit))
        }
      }
      let before =
        state.length == 0 ? [] : state.attributes(at: max(0, offset - 1)).attributes.map(\.name)
      #expect(Set(start.attributesBefore.map(\.name)) == Set(before))
    }
  }

  /// The facts of 002: for "abc" with a = p, b = b, c = b and i.
  @Test func aCaretHasTheAttributesOfTheUnitBefore() async throws {
    func set(_ names: [String]) -> AttributeRun {
      AttributeRun(length: 1, attributes: AttributeSet(names.map { ($0, .bool(true)) }))
    }
    let action = try EditAction(
      range: UTF16Range(0..<0), replacement: "abc",
      attributes: .set([set(["p"]), set(["b", "link"]), set(["b", "i"])]))
    let edit = Edit(
      sequence: 1, action: action, session: SessionID("s"), counter: 1, time: QueryBench.now)
    let mixed = MixedHistory([.edit(edit)])
    let bench = try QueryBench(mixed)
    for (offset, names) in [["p"], ["p"], ["link", "b"], ["b", "i"]].enumerated() {
      var place = PlaceReference()
      place.offset = offset
      let answer = try await bench.engine.answer(InspectRequest(history, place))
      #expect(answer.start?.attributesBefore.map(\.name) == names, "caret \(offset)")
    }
  }

  @Test func placesOutsideTheTextAreErrorsThatNameTheBounds() async throws {
    let bench = try QueryBench(seed: 3)
    let state = try #require(bench.states.last)
    let name = JSON(QueryBench.name)
    let places: [(JSON, String)] = [
      (["document": name, "offset": JSON(state.length + 1)], "0 to \(state.length)"),
      (
        ["document": name, "index": JSON(state.paragraphCount)], "0 to \(state.paragraphCount - 1)"
      ),
      (
        ["document": name, "position": ["line": JSON(state.lineCount + 1), "column": 1]],
        "1 to \(state.lineCount)"
      ),
      (
        ["document": name, "range": ["location": 0, "length": JSON(state.length + 1)]],
        "\(state.length)"
      ),
      (["document": name, "paragraph": "99999.0"], "99999.0"),
    ]
    for (params, bounds) in places {
      let error = await bench.refusal("inspect", params)
      #expect(error?.code == .unknownPoint)
      #expect(error?.message.contains(bounds) == true, "\(error?.message ?? "")")
    }
    for params: JSON in [
      ["document": name, "offset": 0, "index": 0],
      ["document": name, "range": ["location": -1, "length": 0]],
      ["document": name, "lines": [2, 1]],
      ["document": name, "position": ["line": 0, "column": 1]],
    ] {
      #expect(await bench.refusal("inspect", params)?.code == .invalidParams)
    }
    for params: JSON in [["document": name], ["document": name, "offset": 0]] {
      #expect(await bench.refusal("paragraphHistory", params)?.code == .invalidParams)
    }
  }

  /// The paragraphs of a range come in parts, middle ones included.
  @Test(arguments: UInt64(0)..<3)
  func aRangeHasItsMiddleParagraphs(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let state = try #require(bench.states.last)
    var place = PlaceReference()
    place.range = UTF16Range(state.length / 4..<state.length - state.length / 4)
    var rows: [ShownParagraph] = []
    var skip: Int? = 0
    while let next = skip {
      let part = try await bench.engine.answer(
        InspectRequest(history, place, skip: next, limit: 2))
      #expect((part.start == nil) == (next > 0))
      rows += part.paragraphs
      skip = part.next
    }
    let range = try #require(place.range)
    #expect(rows.map(\.id) == state.paragraphs(in: range).map(\.id))
  }

  /// The parts of a history are the whole, and the changes lead from each text to the next.
  @Test(arguments: UInt64(0)..<3)
  func aHistoryInParts(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let state = try #require(bench.states.last)
    for paragraph in state.paragraphs.prefix(4) {
      var place = PlaceReference()
      place.paragraph = paragraph.id
      let whole = try await bench.engine.answer(ParagraphHistoryRequest(history, place))
      #expect(whole.next == nil)
      #expect(whole.versions.first?.text == state.text(in: paragraph.range))
      var versions: [ShownParagraphVersion] = []
      var (before, isDone) = (SequenceNumber?.none, false)
      while !isDone {
        let part = try await bench.engine.answer(
          ParagraphHistoryRequest(history, place, before: before, limit: 2))
        versions += part.versions
        (before, isDone) = (part.next, part.next == nil)
      }
      #expect(versions == whole.versions)
      var text: [UInt16] = []
      for version in whole.versions.reversed() {
        for change in version.changes {
          let range = change.location..<change.location + change.removed.count
          #expect(Array(text[range]) == change.removed.units)
          text.replaceSubrange(range, with: change.inserted.units)
        }
        #expect(text == version.text.units)
      }
    }
  }
}
