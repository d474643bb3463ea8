import CBaselines
import EditModel
import TextState

extension Figure {
  /// What a state weighs.
  static let memory = Figure(
    name: "memory",
    summary: "bytes per unit of a state of 10 MB of UTF-16, loaded at once and written edit by "
      + "edit; all, and less 64 for each paragraph"
  ) { session in
    guard Allocations.areCountable else { return }
    let count = session.isQuick ? 50_000 : 5_000_000
    for trace in session.traces {
      let units = trace.text(of: count)
      let whole = try Allocations.count { try loaded(units, StateText.self) }
      let floor = try Allocations.count { try loaded(units, CParagraphText.self) }
      try session.show(weigh(whole.result.state, whole.counts.live, "\(trace.name) loaded"))
      try session.show([
        ReportLine(
          "memory/\(CParagraphText.name)", "\(trace.name) loaded",
          Double(floor.counts.live) / Double(units.count), "bytes/unit")
      ])
      let written = try Allocations.count { try write(trace, count) }
      try session.show(weigh(written.result, written.counts.live, "\(trace.name) written"))
    }
  }

  /// What edits ask of malloc.
  static let allocations = Figure(
    name: "allocations", summary: "allocations, and bytes allocated, for each edit of a trace"
  ) { session in
    guard Allocations.areCountable else { return }
    for trace in session.traces {
      let (text, counts) = try Allocations.count {
        var text = StateText()
        try text.apply(trace.edits)
        return text
      }
      let edits = Double(trace.edits.count)
      try withExtendedLifetime(text) {
        try session.show([
          ReportLine(
            "allocations", trace.name, Double(counts.allocations) / edits, "allocs/edit"),
          ReportLine("allocations/bytes", trace.name, Double(counts.bytes) / edits, "bytes/edit"),
        ])
      }
    }
  }
}

/// A text of these units, in memory of its own: the edit that brings them is freed.
private func loaded<Text: EditedText>(_ units: [UInt16], _: Text.Type) throws -> Text {
  var text = Text()
  try text.apply(.load(units.withUnsafeBufferPointer { Array($0) }))
  return text
}

/// The trace written again and again at the end of the text, until there are `count` units.
private func write(_ trace: Trace, _ count: Int) throws -> TextState {
  var state = TextState()
  guard !trace.finalUnits.isEmpty else { return state }
  while state.length < count {
    let base = state.length
    for action in trace.edits.actions {
      let start = base + action.range.location
      try state.apply(
        EditAction(
          replacing: UTF16Range(start..<start + action.range.length),
          with: action.replacement ?? UTF16Text()))
    }
  }
  return state
}

private func weigh(_ state: TextState, _ bytes: Int64, _ trace: String) -> [ReportLine] {
  let units = Double(state.length)
  let paragraphs = Double(64 * state.paragraphCount)
  return [
    ReportLine("memory", trace, Double(bytes) / units, "bytes/unit"),
    ReportLine(
      "memory/less-64-a-paragraph", trace, (Double(bytes) - paragraphs) / units, "bytes/unit"),
  ]
}
