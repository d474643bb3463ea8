import CBaselines
import TextState

extension Figure {
  /// What copies of the state cost.
  static let snapshots = Figure(
    name: "snapshots",
    summary: "every trace with copies kept of every 1,000th state, and of every state until the "
      + "next edit"
  ) { session in
    for trace in session.traces {
      let edits = trace.edits
      let results = try race(
        [
          StateText.replay(edits),
          Contender("kept") { try SnapshotRun(edits).time },
          Contender("dropped") { try timeDropping(edits) },
        ], session.effort)
      try session.show(lines(trace, results, bytes: bytesPerSnapshot(edits)))
    }
  }
}

private func lines(_ trace: Trace, _ race: [Samples], bytes: Double?) -> [ReportLine] {
  let (plain, kept, dropped) = (race[0], race[1], race[2])
  let count = Double(trace.edits.count)
  let baseline = ("no-snapshots", plain.median / count)
  let snapshots = Double(trace.edits.count / SnapshotRun.spacing)
  var list = [
    ReportLine(
      "snapshots/kept-every-1000", trace.name, kept.median / count, "ns/edit",
      baseline: baseline, samples: kept.values.count),
    ReportLine(
      "snapshots/dropped-at-next-edit", trace.name, dropped.median / count, "ns/edit",
      baseline: baseline, samples: dropped.values.count),
  ]
  guard snapshots > 0 else { return list }
  list.append(
    ReportLine(
      "snapshots/time", trace.name, max(0, kept.median - plain.median) / snapshots, "ns/snapshot",
      samples: kept.values.count))
  if let bytes {
    list.append(ReportLine("snapshots/memory", trace.name, bytes, "bytes/snapshot"))
  }
  return list
}

/// A replay that keeps copies.
private struct SnapshotRun {
  static let spacing = 1_000
  let state: TextState
  let snapshots: [TextState]
  let time: Double

  init(_ edits: EditBatch) throws {
    var (state, snapshots) = (TextState(), [TextState]())
    time = try Clock.time {
      for (index, action) in edits.actions.enumerated() {
        if index > 0, index.isMultiple(of: Self.spacing) { snapshots.append(state) }
        try state.apply(action)
      }
    }
    (self.state, self.snapshots) = (state, snapshots)
  }
}

private func timeDropping(_ edits: EditBatch) throws -> Double {
  var state = TextState()
  var before = state
  return try Clock.time {
    for action in edits.actions {
      before = state
      try state.apply(action)
    }
    withExtendedLifetime(before) {}
  }
}

/// What the copies add to the memory of the state alone; nil if memory cannot be counted.
private func bytesPerSnapshot(_ edits: EditBatch) throws -> Double? {
  guard Allocations.areCountable, edits.count >= SnapshotRun.spacing else { return nil }
  let (run, with) = try Allocations.count { try SnapshotRun(edits) }
  let (text, without) = try Allocations.count {
    var text = StateText()
    try text.apply(edits)
    return text
  }
  let bytes = Double(with.live - without.live) / Double(max(1, run.snapshots.count))
  return withExtendedLifetime((run, text)) { bytes }
}
