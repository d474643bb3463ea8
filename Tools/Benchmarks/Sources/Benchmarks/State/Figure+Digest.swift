import EditModel
import TestSupport
import TextState

extension Figure {
  /// What it costs to tell two states apart.
  static let digest = Figure(
    name: "digest",
    summary: "a state's digest, at first and after an edit at a random place, beside =="
  ) { session in
    for count in session.sizes {
      let trace = "\(Numbers.grouped(count)) units"
      let results = try Digests(units: count).race(session.effort)
      try session.show([
        ReportLine(
          "digest/first", trace, results[0].median / Double(count), "ns/unit",
          samples: results[0].values.count),
        ReportLine(
          "digest/==", trace, results[1].median / Double(count), "ns/unit",
          samples: results[1].values.count),
        ReportLine(
          "digest/after-edit", trace, results[2].median, "ns", samples: results[2].values.count),
      ])
    }
  }
}

/// A document in paragraphs of 40 units, to digest.
private final class Digests {
  private let action: EditAction
  private let length: Int
  private let other: TextState
  private var edited: TextState
  private var random = SplitMix64(seed: 3)

  init(units count: Int) throws {
    let units = Documents.lines(count, of: 40)
    action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
    length = count
    // Two states that share nothing.
    edited = TextState()
    try edited.apply(action)
    var other = TextState()
    try other.apply(action)
    self.other = other
  }

  func race(_ effort: Effort) throws -> [Samples] {
    try Benchmarks.race(
      [
        Contender("first") { try self.first { $0.digest.hashValue } },
        Contender("==") { try self.first { $0 == self.other ? 1 : 0 } },
        Contender("after an edit") { try self.afterEdit() },
      ], effort)
  }

  /// The time that `look` takes at a state that was not looked at before.
  private func first(_ look: (TextState) -> Int) throws -> Double {
    var state = TextState()
    try state.apply(action)
    var result = 0
    let time = Clock.time { result = look(state) }
    // The result is used, so that the look is not left out.
    return result == .min ? 0 : time
  }

  private func afterEdit() throws -> Double {
    let offset = Int.random(in: 0..<length, using: &random)
    try edited.apply(EditAction(replacing: UTF16Range(offset..<offset + 1), with: "x"))
    var result = 0
    let time = Clock.time { result = edited.digest.hashValue }
    return result == .min ? 0 : time
  }
}
