import EditModel
import Projections

/// What became of a version inside an undo or a redo, whose edits say only together which units come
/// back.
///
/// Its units are followed by position to the end of the undo, and from there as units.
struct PlacedFates {
  /// A run of units of the text so far. `source` is their location in the version; nil for units that
  /// were inserted since.
  private struct Run {
    var length: Int
    var source: Int?
  }

  private var runs: [Run]
  private var fates: [UnitFate] = []

  /// A version of `length` UTF-16 units, and the edits after it up to the end of the undo.
  init(length: Int, _ rest: [Edit]) {
    runs = [Run(length: length, source: 0)]
    for edit in rest {
      if let text = edit.action.replacement {
        replace(edit.action.range.bounds, count: text.count, by: edit.sequence)
      }
    }
  }

  private mutating func replace(_ range: Range<Int>, count: Int, by sequence: SequenceNumber) {
    var (before, after): ([Run], [Run]) = ([], [])
    var start = 0
    for run in runs {
      let bounds = start..<start + run.length
      let head = bounds.clamped(to: 0..<range.lowerBound)
      let middle = bounds.clamped(to: range)
      let tail = bounds.clamped(to: range.upperBound..<max(range.upperBound, bounds.upperBound))
      func source(_ part: Range<Int>) -> Int? { run.source.map { $0 + part.lowerBound - start } }
      if !head.isEmpty { before.append(Run(length: head.count, source: source(head))) }
      if !middle.isEmpty, let source = source(middle) {
        fates.append(
          UnitFate(range: UTF16Range(source..<source + middle.count), removal: sequence))
      }
      if !tail.isEmpty { after.append(Run(length: tail.count, source: source(tail))) }
      start = bounds.upperBound
    }
    runs = before + (count > 0 ? [Run(length: count, source: nil)] : []) + after
  }

  /// The fates of the version's units, in order. `later` are those of the text at the end of the undo.
  func fates(_ later: [UnitFate]) -> [UnitFate] {
    var all = fates
    var start = 0
    for run in runs {
      defer { start += run.length }
      guard let source = run.source else { continue }
      let first = later.firstIndex { $0.range.upperBound > start } ?? later.endIndex
      for fate in later[first...].prefix(while: { $0.range.location < start + run.length }) {
        guard var part = fate.clamped(to: UTF16Range(start..<start + run.length)) else { continue }
        let location = part.range.location - start + source
        part.range = UTF16Range(location..<location + part.range.length)
        all.append(part)
      }
    }
    all.sort { $0.range.location < $1.range.location }
    return all.reduce(into: []) { joined, fate in
      if let last = joined.last, last.removal == fate.removal,
        fate.location == last.location.map({ $0 + last.range.length })
      {
        joined[joined.count - 1].range = UTF16Range(last.range.location..<fate.range.upperBound)
      } else {
        joined.append(fate)
      }
    }
  }
}
