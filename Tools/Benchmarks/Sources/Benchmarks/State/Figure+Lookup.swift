import EditModel
import TestSupport
import TextState

extension Figure {
  /// How the cost of a look-up grows with the document.
  static let lookup = Figure(
    name: "lookup", summary: "look-ups at random places, against the document's size",
    isPlotted: true
  ) { session in
    for count in session.sizes {
      let results = try Lookups(units: count).race(session.effort)
      try session.show(
        results.map {
          ReportLine(
            "lookup/\($0.name)", "\(Numbers.grouped(count)) units", $0.median, "ns",
            samples: $0.values.count)
        })
      for samples in results { session.plot(.lookup, samples.name, x: count, y: samples.median) }
    }
  }
}

/// A document in paragraphs of 40 units and attribute runs of 60 and 40 units, the last one of a
/// name of its own, to look up in.
private final class Lookups {
  private let state: TextState
  private let ids: [ParagraphID]
  private var random = SplitMix64(seed: 2)

  init(units count: Int) throws {
    var state = TextState()
    try state.apply(
      EditAction(
        range: UTF16Range(0..<0), replacement: UTF16Text(units: Documents.lines(count, of: 40)),
        attributes: .set(Self.runs(count))))
    self.state = state
    ids = state.paragraphs.map(\.id)
  }

  func race(_ effort: Effort) throws -> [Samples] {
    let (length, paragraphs, lines) = (state.length, state.paragraphCount, state.lineCount)
    return try Benchmarks.race(
      [
        contender("paragraphIndex(at:)", effort, below: length) { $0.paragraphIndex(at: $1) },
        contender("paragraph(at:)", effort, below: paragraphs) {
          $0.paragraph(at: $1).range.length
        },
        contender("paragraph(id)", effort, below: paragraphs) { [ids] in
          $0.paragraph(ids[$1])?.index ?? 0
        },
        contender("lineRange(_:)", effort, below: lines) { $0.lineRange($1).length },
        contender("position(at:)", effort, below: length) { $0.position(at: $1).column },
        contender("offset(of:)", effort, below: lines) {
          $0.offset(of: LinePosition(line: $1, column: 20))
        },
        contender("attributes(at:)", effort, below: length) { $0.attributes(at: $1).range.length },
        contender("attribute(_:at:)", effort, below: length) {
          $0.attribute("bold", at: $1).range.length
        },
        contender("nextAttributeRun", effort, below: length) {
          $0.nextAttributeRun(carrying: "italic", from: $1)?.range.location ?? 0
        },
      ], effort)
  }

  /// A contender whose samples are nanoseconds per look-up of random numbers below `bound`.
  private func contender(
    _ name: String, _ effort: Effort, below bound: Int,
    _ lookUp: @escaping (TextState, Int) -> Int
  ) -> Contender {
    var count = 1
    while time(count, below: bound, lookUp) < effort.sampleLength, count < 1 << 16 { count *= 2 }
    return Contender(name) { [count] in
      self.time(count, below: bound, lookUp) / Double(count)
    }
  }

  private func time(
    _ count: Int, below bound: Int, _ lookUp: (TextState, Int) -> Int
  ) -> Double {
    let places = (0..<count).map { _ in Int.random(in: 0..<bound, using: &random) }
    let state = state
    var sum = 0
    let time = Clock.time { for place in places { sum &+= lookUp(state, place) } }
    // The results are used, so that no look-up is left out.
    return sum == .min ? 0 : time
  }

  private static func runs(_ count: Int) -> [AttributeRun] {
    var bold = AttributeSet()
    bold["bold"] = .bool(true)
    var (runs, left): ([AttributeRun], Int) = ([], count)
    while left > 0 {
      let isBold = runs.count.isMultiple(of: 2)
      let length = min(left, isBold ? 40 : 60)
      runs.append(AttributeRun(length: length, attributes: isBold ? bold : AttributeSet()))
      left -= length
    }
    runs[runs.count - 1].attributes["italic"] = .bool(true)
    return runs
  }
}
