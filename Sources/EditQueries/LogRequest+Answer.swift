import EditLog
import EditLogFormat
import EditModel
package import EditProtocol
package import Replay

extension LogRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> LogAnswer {
    guard let range = try await part.range(engine, replay.history) else {
      return LogAnswer(entries: [])
    }
    var page = LogPage(range, part)
    do {
      try page.fill(from: replay.history) { try engine.work?.pass($0 * 0.9) }
      let range = page.range
      var progress = FoldProgress(engine.work, range.after...range.through, share: 0.9...1)
      try replay.check(after: range.after, through: range.through) { try progress.note($0) }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    return LogAnswer(
      entries: part.newestFirst ? page.entries.reversed() : page.entries,
      next: part.next(page.range, of: range))
  }
}

/// The entries after the edit `after`, up to the edit `through`.
struct HistoryRange: Hashable {
  var after: SequenceNumber
  var through: SequenceNumber
}

extension HistoryPart {
  /// The range of all entries in the part, without the limit. Nil if it is empty.
  func range(
    _ engine: QueryEngine, _ history: History
  ) async throws(ProtocolError) -> HistoryRange? {
    if through == nil { try await engine.refuseLost(.latest, history) }
    let through = min(through ?? .max, history.lastSequence)
    return after <= through ? HistoryRange(after: after, through: through) : nil
  }

  /// The first `count` edits of `range`, or the last ones if `newestFirst`.
  func page(of range: HistoryRange, _ count: Int) -> HistoryRange {
    let size = min(UInt64(count), range.through - range.after)
    return newestFirst
      ? HistoryRange(after: range.through - size, through: range.through)
      : HistoryRange(after: range.after, through: range.after + size)
  }

  /// The `after` (with `newestFirst` the `through`) of the call after `page`. Nil if no edits
  /// follow.
  func next(_ page: HistoryRange, of range: HistoryRange) -> SequenceNumber? {
    if newestFirst { return page.after > range.after ? page.after : nil }
    return page.through < range.through ? page.through : nil
  }
}

/// Entries from one end of a range, up to the limit, or until their texts reach the maximum length.
private struct LogPage {
  /// The entries, oldest first, in parts, the newest first.
  private var parts: [ArraySlice<HistoryEntry>] = []
  /// The range of the entries.
  private(set) var range: HistoryRange
  /// The entries, oldest first.
  var entries: [HistoryEntry] { Array(parts.reversed().joined()) }
  private let whole: HistoryRange
  private let part: HistoryPart
  private var textLength = 0

  /// The number of edits that are read at a time. It is small, so that few edits are read and not
  /// sent.
  private static let stepCount = 32

  init(_ whole: HistoryRange, _ part: HistoryPart) {
    (self.whole, self.part) = (whole, part)
    range = part.page(of: whole, 0)
  }

  /// Calls `pass` after some entries, with the part of the limit that was read, 0 to 1.
  ///
  /// - Complexity: O(entries of the page), and up to 32 more.
  mutating func fill(from history: History, _ pass: (Double) throws -> Void) throws {
    var rest = part.limit
    repeat {
      let step = part.page(of: remainder, min(rest, Self.stepCount))
      rest -= Self.stepCount
      if part.newestFirst {
        try prepend(step, history)
      } else {
        try append(step, history)
      }
      try pass(1 - Double(max(0, rest)) / Double(max(1, part.limit)))
    } while rest > 0 && textLength < HistoryPart.textLengthMax
      && part.next(range, of: whole) != nil
  }

  private var remainder: HistoryRange {
    part.newestFirst
      ? HistoryRange(after: whole.after, through: range.after)
      : HistoryRange(after: range.through, through: whole.through)
  }

  /// Adds newer entries, up to the edit with which the texts reach the maximum length.
  private mutating func append(_ step: HistoryRange, _ history: History) throws {
    range.through = step.through
    var isFull = false
    var newer: [HistoryEntry] = []
    defer { parts.insert(newer[...], at: 0) }
    try history.forEachEntry(after: step.after, through: step.through) { entry in
      if case .edit(let edit) = entry, !isFull, textLength >= HistoryPart.textLengthMax {
        (isFull, range.through) = (true, edit.sequence - 1)
      }
      guard !isFull else { return }
      textLength += entry.textLength
      newer.append(entry)
    }
  }

  /// Adds older entries, down to the edit with which the texts reach the maximum length.
  private mutating func prepend(_ step: HistoryRange, _ history: History) throws {
    range.after = step.after
    var older: [HistoryEntry] = []
    // The places of the edits, and what of them and of the entries is dropped.
    var edits: [Int] = []
    var (droppedEdits, dropped) = (0, 0)
    try history.forEachEntry(after: step.after, through: step.through) { entry in
      if case .event(let event) = entry, older.count == dropped, event.after == range.after,
        event.after > 0
      {
        return
      }
      textLength += entry.textLength
      if entry.isEdit { edits.append(older.count) }
      older.append(entry)
      // The oldest edit is dropped as soon as the newer ones reach the maximum length.
      while droppedEdits < edits.count, case .edit(let edit) = older[edits[droppedEdits]],
        textLength - edit.textLength >= HistoryPart.textLengthMax
      {
        range.after = edit.sequence
        textLength -= edit.textLength
        droppedEdits += 1
        dropped = droppedEdits < edits.count ? edits[droppedEdits] : older.count
      }
    }
    parts.append(older[dropped...])
  }
}

extension HistoryEntry {
  /// An estimate of the length of the entry's text in UTF-16 units.
  fileprivate var textLength: Int {
    if case .edit(let edit) = self { edit.textLength } else { 0 }
  }
}

extension Edit {
  fileprivate var textLength: Int {
    let runCount =
      switch action.attributes {
      case .set(let runs), .merge(let runs): runs.count
      case .inherit, .remove: 0
      }
    return (action.replacement?.count ?? 0) + runCount * Self.runLength
  }

  /// An estimate of the length of an attribute run in JSON.
  private static let runLength = 32
}
