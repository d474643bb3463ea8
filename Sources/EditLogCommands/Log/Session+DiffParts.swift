import EditModel
import EditProtocol

extension Session {
  /// Calls `body` with each part of a diff and its number, from 0. Returns the first and the last part.
  func forEachDiffPart(
    of name: String, from older: PointExpression, to newer: PointExpression, context: Int,
    _ reading: ReadingOptions, _ body: (DiffAnswer, Int) throws -> Void
  ) async throws -> (first: DiffAnswer, last: DiffAnswer) {
    let first = try await ask(name, reading) {
      DiffRequest($0, from: older, to: newer, context: context, part: 0)
    }
    let (from, to) = (PointExpression.sequence(first.from), PointExpression.sequence(first.to))
    var (part, number) = (first, 0)
    try body(part, number)
    while let next = part.next {
      part = try await ask(name, reading.afterFirstPart) {
        DiffRequest($0, from: from, to: to, context: context, part: next)
      }
      number += 1
      try body(part, number)
    }
    return (first, part)
  }
}
