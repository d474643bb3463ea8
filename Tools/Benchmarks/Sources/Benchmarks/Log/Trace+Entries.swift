import EditModel

/// What stands beside each edit in a log.
enum Provenance: String, CaseIterable {
  /// A time, an author, a session and its counter, an origin, a transaction.
  case full = ""
  /// All but times.
  case withoutTime = "-without-time"
  /// All but author, session and counter.
  case withoutAuthor = "-without-author"
}

extension Trace {
  /// The history as a log takes it.
  func entries(_ provenance: Provenance = .full) -> [HistoryEntry] {
    let session = provenance == .withoutAuthor ? nil : SessionID("editor-1")
    return edits.actions.indices.map { index in
      let action = edits.actions[index]
      let sequence = UInt64(index + 1)
      return .edit(
        Edit(
          sequence: sequence, action: action, origin: Self.origin(of: action),
          transaction: transactions[index], author: session == nil ? nil : "ann",
          session: session, counter: session == nil ? 0 : sequence,
          time: provenance == .withoutTime ? Timestamp(nanoseconds: 0) : times[index]))
    }
  }

  /// The time from the start of one round to the next if the trace is repeated `rounds` times, in
  /// nanoseconds. It is bounded, so that the times do not overflow: a trace that begins in 1970 spans
  /// half a century.
  func delay(ofRounds rounds: Int) -> Int64 {
    let (first, last) = (times.first?.nanoseconds ?? 0, times.last?.nanoseconds ?? 0)
    return min(last - first + 1_000_000_000, (.max / 2 - last) / Int64(rounds))
  }

  /// As `editlog import trace` takes them.
  private static func origin(of action: EditAction) -> Origin {
    guard let units = action.replacement?.units, !units.isEmpty else { return .removal }
    return units.count > 64 || units.dropLast().contains(0x0A) ? .paste : .typing
  }
}

extension [HistoryEntry] {
  /// The entries `offset` edits later in a history, their times `delay` nanoseconds later.
  func shifted(by offset: UInt64, delay: Int64) -> [HistoryEntry] {
    map { entry in
      guard case .edit(var edit) = entry else { return entry }
      edit.sequence += offset
      edit.transaction += offset
      if edit.session != nil { edit.counter += offset }
      edit.time = Timestamp(nanoseconds: edit.time.nanoseconds + delay)
      return .edit(edit)
    }
  }
}
