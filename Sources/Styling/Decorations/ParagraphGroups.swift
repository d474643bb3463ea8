import EditModel
import TextState

/// Finds groups of paragraphs: all that runs of one value touch, merged where they touch each other.
struct ParagraphGroups {
  private struct Group {
    var run: UTF16Range
    var paragraphs: ClosedRange<Int>
  }

  private let attribute: String
  private let state: TextState

  init(_ attribute: String, _ state: TextState) {
    (self.attribute, self.state) = (attribute, state)
  }

  /// The groups that have a paragraph of `drawn`, which is not empty, in the order of their first runs.
  mutating func all(in drawn: UTF16Range) -> [DecorationRange] {
    let first = state.paragraphIndex(at: drawn.location)
    let last = state.paragraphIndex(at: drawn.upperBound - 1)
    let start = start(of: first...last)
    var open: [AttributeValue: Group] = [:]
    var ended: [(Group, AttributeValue)] = []
    // The last paragraph that a run of a group that reaches into what is drawn may begin in.
    var reach = last
    for (run, value) in AttributeRanges(attribute, in: start..<state.length, state) {
      let paragraphs = self.paragraphs(of: run)
      guard paragraphs.lowerBound <= reach + 1 else { break }
      if var group = open[value], paragraphs.lowerBound <= group.paragraphs.upperBound + 1 {
        let end = max(group.paragraphs.upperBound, paragraphs.upperBound)
        group.paragraphs = group.paragraphs.lowerBound...end
        open[value] = group
      } else {
        if let group = open[value] { ended.append((group, value)) }
        open[value] = Group(run: run, paragraphs: paragraphs)
      }
      if let group = open[value], group.paragraphs.overlaps(first...last) {
        reach = max(reach, group.paragraphs.upperBound)
      }
    }
    return (ended + open.map { ($0.value, $0.key) })
      .filter { $0.0.paragraphs.overlaps(first...last) }
      .sorted { ($0.0.run.location, $0.0.run.length) < ($1.0.run.location, $1.0.run.length) }
      .map { group, value in
        let start = state.paragraph(at: group.paragraphs.lowerBound).range.location
        let end = state.paragraph(at: group.paragraphs.upperBound).range.upperBound
        return DecorationRange(run: group.run, expanded: UTF16Range(start..<end), value: value)
      }
  }

  /// The offset of the first run of all groups that reach into some paragraphs, or earlier.
  private func start(of paragraphs: ClosedRange<Int>) -> Int {
    var start = state.paragraph(at: paragraphs.lowerBound).range.location
    let end = state.paragraph(at: paragraphs.upperBound).range.upperBound
    // The first paragraph of the groups of each value that reach into the paragraphs.
    var firsts: [AttributeValue: Int] = [:]
    for (run, value) in AttributeRanges(attribute, in: start..<end, state) {
      let first = self.paragraphs(of: run).lowerBound
      firsts[value] = min(firsts[value] ?? first, first)
      start = min(start, run.location)
    }
    // Runs before: each may reach into a paragraph at the start, or touch a group that does.
    var reach = min(paragraphs.lowerBound, firsts.values.min() ?? .max)
    while let previous = state.previousAttributeRun(carrying: attribute, before: start) {
      let (_, run) = state.attribute(attribute, at: previous.range.upperBound - 1)
      let touched = self.paragraphs(of: run)
      guard touched.upperBound >= reach - 1 else { break }
      start = run.location
      if let value = previous.attributes[attribute] {
        if touched.upperBound >= paragraphs.lowerBound
          || firsts[value].map({ touched.upperBound >= $0 - 1 }) ?? false
        {
          firsts[value] = min(firsts[value] ?? touched.lowerBound, touched.lowerBound)
          reach = min(reach, touched.lowerBound)
        }
      }
    }
    return start
  }

  private func paragraphs(of run: UTF16Range) -> ClosedRange<Int> {
    state.paragraphIndex(at: run.location)...state.paragraphIndex(at: run.upperBound - 1)
  }
}
