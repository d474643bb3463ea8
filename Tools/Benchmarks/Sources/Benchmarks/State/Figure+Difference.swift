import EditModel
import TextState

extension Figure {
  /// What it costs to say how two versions of a history differ.
  static let difference = Figure(
    name: "difference",
    summary: "what differs between versions of a trace, 1,000 edits and the whole history apart, "
      + "and between two that share nothing"
  ) { session in
    for trace in session.traces {
      let versions = try Versions(trace.edits)
      let results = try race(
        [
          Contender("difference") { versions.time(versions.near) },
          Contender("text-difference") { versions.timeOfTexts(versions.near) },
          Contender("far") { versions.time(versions.far) },
          Contender("unshared") { versions.time(versions.unshared) },
        ], session.effort)
      let pairs = Double(versions.near.count)
      let texts = results[1].median / pairs
      try session.show([
        ReportLine(
          "difference", "\(trace.name) 1,000 edits apart", results[0].median / pairs, "ns",
          baseline: ("text-difference", texts), samples: results[0].values.count),
        ReportLine(
          "difference/text-difference", "\(trace.name) 1,000 edits apart", texts, "ns",
          samples: results[1].values.count),
        ReportLine(
          "difference/first-to-last", trace.name, results[2].median, "ns",
          samples: results[2].values.count),
        ReportLine(
          "difference/shared-nothing", trace.name, results[3].median, "ns",
          samples: results[3].values.count),
      ])
    }
  }
}

/// Versions of one history, kept while it was applied.
private struct Versions {
  typealias Pair = (old: TextState, new: TextState)
  /// Neighbours of the versions that were kept.
  let near: [Pair]
  /// The version after the first tenth of the history, and the last.
  let far: [Pair]
  /// That version again, made apart, and the last.
  let unshared: [Pair]

  init(_ edits: EditBatch) throws {
    let spacing = min(1_000, max(1, edits.count / 10))
    var (state, kept) = (TextState(), [TextState()])
    for (index, action) in edits.actions.enumerated() {
      try state.apply(action)
      if (index + 1).isMultiple(of: spacing) { kept.append(state) }
    }
    near = zip(kept, kept.dropFirst()).map { ($0, $1) }
    let tenth = kept[kept.count / 10]
    far = [(tenth, state)]
    var apart = TextState()
    for action in edits.actions.prefix(Int(tenth.sequence)) { try apart.apply(action) }
    unshared = [(apart, state)]
  }

  func time(_ pairs: [Pair]) -> Double {
    time(pairs) { $1.difference(from: $0).paragraphEvents.count }
  }

  /// The same by the whole texts alone, of which nothing is known to be shared.
  func timeOfTexts(_ pairs: [Pair]) -> Double {
    time(pairs) { TextDifference.replacements(from: $0.text, to: $1.text).count }
  }

  private func time(_ pairs: [Pair], _ compare: (TextState, TextState) -> Int) -> Double {
    var sum = 0
    let time = Clock.time { for pair in pairs { sum += compare(pair.old, pair.new) } }
    // The sum is used, so that no comparison is left out.
    return sum < 0 ? 0 : time
  }
}
