import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension ActivityRequest: HistoryQuestion {
  package var isClosed: Bool { through != nil }

  /// Folds the part of the history once.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ActivityAnswer {
    let last = min(through ?? .max, replay.history.lastSequence)
    let first = min(after, last)
    let start =
      first == 0
      ? TextState()
      : try await engine.state(at: .sequence(first), "after", replay, share: 0...0.3)
    let runner = try engine.fold(
      replay, from: start, [Activity()], through: last, share: first == 0 ? 0...1 : 0.3...1)
    guard let activity = runner[Activity.self] else {
      throw ProtocolError(.internalError, "the activity was not folded")
    }
    return ActivityAnswer(activity, runner.state, stretches: stretches)
  }
}

extension ActivityAnswer {
  fileprivate init(_ activity: Activity, _ state: TextState, stretches: Bool) {
    let quarters = activity.quarters.suffix(Self.quarterCountMax)
    var shares = activity.shares.map {
      ShownActivityShare(author: $0.author, origin: $0.origin, counts: ShownActivity($0.counts))
    }
    // Equal shares are in the order in which they appeared.
    shares = shares.enumerated().sorted {
      ($1.element.counts.edits, $0.offset) < ($0.element.counts.edits, $1.offset)
    }.map(\.element)
    if activity.rest.editCount > 0 {
      shares.append(
        ShownActivityShare(author: nil, origin: nil, counts: ShownActivity(activity.rest)))
    }
    self.init(
      sequence: state.sequence, total: ShownActivity(activity.total),
      firstTime: activity.times?.lowerBound, lastTime: activity.times?.upperBound,
      quarters: quarters.map {
        ActivityQuarterCounts(time: $0.start, counts: ShownActivity($0.counts))
      },
      omitted: activity.quarters.count - quarters.count, shares: shares,
      pauses: activity.pauses.map {
        ShownPause(after: $0.after, fromTime: $0.start, toTime: $0.end)
      },
      paragraphs: activity.reworkedParagraphs(in: state, Self.paragraphCountMax).map {
        ReworkedParagraph(
          id: $0.paragraph.id, index: $0.index, edits: $0.work.editCount,
          removed: $0.work.removedCount, text: Self.text(of: $0.paragraph.range, in: state))
      },
      stretches: activity.stretches.suffix(stretches ? Self.stretchCountMax : 0).map {
        ShownStretch(fromTime: $0.start, toTime: $0.end, author: $0.author)
      })
  }

  /// The beginning of a paragraph's text, without its terminator.
  private static func text(of range: UTF16Range, in state: TextState) -> UTF16Text {
    let end = min(range.upperBound, range.location + textLengthMax)
    let text = state.text(in: UTF16Range(range.location..<end)).units
    let terminators: Set<UInt16> = [0x0A, 0x0D, 0x2029]
    return UTF16Text(units: Array(text.prefix { !terminators.contains($0) }))
  }
}

extension ShownActivity {
  fileprivate init(_ counts: ActivityCounts) {
    self.init(
      edits: counts.editCount, words: counts.wordCount, inserted: counts.insertedCount,
      removed: counts.removedCount, activeMicros: counts.activeNanoseconds / 1_000,
      sessions: counts.sessionCount)
  }
}
