import EditModel
import Projections
import Testing
import TextState

/// Every unit that ever existed, and each version as an array of units.
private struct SlowUnits {
  /// The values, inserters and removers of all units, by number.
  var values: [UInt16] = []
  var inserters: [SequenceNumber] = []
  var removers: [SequenceNumber?] = []
  /// The numbers of the units of the text.
  var text: [Int] = []

  mutating func apply(_ edit: Edit) {
    guard let replacement = edit.action.replacement else { return }
    let range = edit.action.range.bounds
    for unit in text[range] { removers[unit] = edit.sequence }
    let first = values.count
    values += replacement.units
    inserters += Array(repeating: edit.sequence, count: replacement.count)
    removers += Array(repeating: nil, count: replacement.count)
    text.replaceSubrange(range, with: first..<values.count)
  }

  /// The leftmost places of a string in the text that do not overlap.
  func places(of pattern: [UInt16]) -> [Int] {
    var (found, start) = ([Int](), 0)
    while start + pattern.count <= text.count {
      var length = 0
      while length < pattern.count, values[text[start + length]] == pattern[length] { length += 1 }
      if length == pattern.count { found.append(start) }
      start += length == pattern.count ? length : 1
    }
    return found
  }
}

/// Blame and search on real editing histories: the recording in Tools/demo, and all traces in the folder
/// that EDITLOG_TRACES names.
@Suite struct TraceQuestionTests {
  private static let sampleCount: SequenceNumber = 20

  private func writers(_ pieces: [BlamePiece]) -> [SequenceNumber] {
    pieces.flatMap { Array(repeating: $0.sequence, count: $0.range.length) }
  }

  @Test(arguments: TraceProjectionTests.traces)
  func `writers and fates of all units are those of an array`(path: String) throws {
    let edits = try TraceProjectionTests.edits(of: path)
    var (runner, slow) = (ProjectionRunner([UndoHistory()]), SlowUnits())
    var samples: [(units: [Int], provenance: Provenance)] = []
    for edit in edits {
      try runner.apply(edit)
      slow.apply(edit)
      guard edit.sequence % max(1, SequenceNumber(edits.count) / Self.sampleCount) == 0 else {
        continue
      }
      let provenance = try #require(runner[UndoHistory.self]).tree.provenance
      let whole = UTF16Range(0..<provenance.length)
      #expect(
        writers(provenance.blame(whole, by: .lastWriter)) == slow.text.map { slow.inserters[$0] },
        "\(path) at \(edit.sequence)")
      samples.append((slow.text, provenance))
    }
    let last = try #require(runner[UndoHistory.self]).tree.provenance
    var places: [Int?] = Array(repeating: nil, count: slow.values.count)
    for (place, unit) in slow.text.enumerated() { places[unit] = place }
    for (units, older) in samples {
      let fates = last.fates(of: older)
      let found = fates.flatMap { fate in
        (0..<fate.range.length).map { offset in fate.location.map { $0 + offset } }
      }
      let removals = fates.flatMap { Array(repeating: $0.removal, count: $0.range.length) }
      #expect(found == units.map { places[$0] }, "\(path)")
      #expect(removals == units.map { slow.removers[$0] }, "\(path)")
    }
  }

  /// Words that are typed, cut and pasted often, and one that no text has.
  static let patterns = ["the", "e ", "\n", ")", "qzx"]

  @Test(arguments: TraceProjectionTests.traces)
  func `matches of every sampled version are found by scanning it`(path: String) throws {
    let edits = try TraceProjectionTests.edits(of: path)
    let searches = try Self.patterns.map { TextMatches(of: try SearchPattern($0, isFixed: true)) }
    var runs = searches.map { ProjectionRunner([$0]) }
    for edit in edits { for index in runs.indices { try runs[index].apply(edit) } }
    for (pattern, run) in zip(Self.patterns, runs) {
      let matches = try #require(run[TextMatches.self]).found(in: run.state)
      // The versions around some of the edits that made and ended matches, and some others.
      let step = max(1, matches.count / Int(Self.sampleCount))
      let some = stride(from: 0, to: matches.count, by: step).map { matches[$0] }
      let ends = some.flatMap { match -> [SequenceNumber] in
        [match.appeared.sequence, match.vanished?.sequence ?? 1]
      }
      let others = stride(
        from: 0, through: SequenceNumber(edits.count),
        by: max(1, SequenceNumber.Stride(edits.count) / SequenceNumber.Stride(Self.sampleCount)))
      let samples = Set(ends + ends.map { $0 - 1 } + others)
      var slow = SlowUnits()
      for version in 0...SequenceNumber(edits.count) {
        if version > 0 { slow.apply(edits[Int(version) - 1]) }
        guard samples.contains(version) else { continue }
        let living = matches.count {
          $0.appeared.sequence <= version && $0.vanished.map { $0.sequence > version } ?? true
        }
        let expected = slow.places(of: Array(pattern.utf16))
        #expect(
          living == expected.count, "\(path) at \(version): \(pattern.debugDescription)")
        let appeared = matches.filter { $0.appeared.sequence == version }.map(\.location)
        #expect(Set(appeared).isSubset(of: expected), "\(path) at \(version)")
        #expect(matches.allSatisfy { $0.text.units == Array(pattern.utf16) })
      }
      #expect(
        matches.compactMap(\.livingLocation).sorted() == slow.places(of: Array(pattern.utf16)))
    }
  }
}
