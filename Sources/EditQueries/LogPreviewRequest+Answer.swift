import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension LogPreviewRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> LogPreviewAnswer {
    let history = replay.history
    guard let range = try await part.range(engine, history) else {
      return LogPreviewAnswer(entries: [])
    }
    let longest = part.page(of: range, part.limit)
    var page = part.page(of: longest, countFitting(after: 0))
    var previews = Previews(
      engine, replay, textMax: textMax, state: engine.takeState(page.after, replay))
    do {
      // If the edits before cannot be read, the first edit counts as the beginning of a step.
      let before = page.after - min(UndoBoundaries.reach, page.after)
      try? history.forEachEntry(after: before, through: page.after) { previews.note($0) }
      var last = page.after
      repeat {
        try history.forEachEntry(after: last, through: page.through) { try previews.append($0) }
        last = page.through
        // Most texts are short, so that more edits fit.
        if !part.newestFirst, previews.textLength < HistoryPart.textLengthMax / 2 {
          page.through = min(
            longest.through, last + UInt64(countFitting(after: previews.textLength)))
        }
      } while last < page.through
      // If those after cannot be read, the last edits are no correction of a slip.
      let rest = min(UndoBoundaries.reach, history.lastSequence - min(last, history.lastSequence))
      try? history.forEachEntry(after: last, through: last + rest) { previews.note($0) }
      var progress = FoldProgress(engine.work, page.after...page.through, share: 0...1)
      try replay.check(after: page.after, through: page.through) { try progress.note($0) }
    } catch { throw ProtocolError(reading: error, of: history) }
    let next = part.next(page, of: range)
    if next != nil, !part.newestFirst, let state = previews.state { engine.keep(state, replay) }
    return LogPreviewAnswer(
      entries: part.newestFirst ? previews.entries.reversed() : previews.entries, next: next)
  }

  /// The number of edits that fit into an answer with texts of this length, however long their texts are.
  private func countFitting(after textLength: Int) -> Int {
    max(1, (HistoryPart.textLengthMax - textLength) / max(1, 2 * textMax))
  }
}

/// Makes previews of consecutive entries.
private struct Previews {
  private(set) var entries: [EntryPreview] = []
  /// The length of their texts, in UTF-16 units.
  private(set) var textLength = 0
  /// The version before the next edit. Nil as long as no edit has removed text.
  private(set) var state: TextState?
  /// True if the text is unknown because of damage.
  private var isTextLost = false
  private var boundaries = UndoBoundaries()
  private let engine: QueryEngine
  private let replay: Replay
  private let textMax: Int

  init(_ engine: QueryEngine, _ replay: Replay, textMax: Int, state: TextState?) {
    (self.engine, self.replay, self.textMax, self.state) = (engine, replay, textMax, state)
  }

  /// Records an entry before the first one or after the last one, for the boundaries of undo steps.
  mutating func note(_ entry: HistoryEntry) {
    switch entry {
    case .edit(let edit): _ = isContinuation(edit)
    case .event(let event): boundaries.note(event, at: event.after)
    }
  }

  /// True if an edit belongs to the step of the edit before it.
  private mutating func isContinuation(_ edit: Edit) -> Bool {
    let continuation = boundaries.continuation(of: edit)
    if case .correction(let first) = continuation { join(first) }
    return continuation != nil
  }

  /// Notes that the edit `first`, one of the last ones, belongs to the step before it after all.
  private mutating func join(_ first: SequenceNumber) {
    for index in entries.indices.reversed() {
      guard case .edit(var edit) = entries[index] else { continue }
      if edit.sequence < first { return }
      guard edit.sequence == first else { continue }
      edit.isContinuation = true
      entries[index] = .edit(edit)
      return
    }
  }

  mutating func append(_ entry: HistoryEntry) throws(ProtocolError) {
    switch entry {
    case .event(let event):
      note(entry)
      entries.append(.event(event))
    case .edit(let edit): entries.append(.edit(try preview(of: edit)))
    }
  }

  private mutating func preview(of edit: Edit) throws(ProtocolError) -> EditPreview {
    let preview = EditPreview(
      edit, textMax: textMax, removed: try takeRemoved(by: edit),
      isContinuation: isContinuation(edit))
    textLength += (preview.text?.count ?? 0) + (preview.removed?.count ?? 0)
    return preview
  }

  /// The beginning of the text that an edit removes. Advances `state` to the version after the
  /// edit.
  private mutating func takeRemoved(by edit: Edit) throws(ProtocolError) -> UTF16Text? {
    let range = edit.action.range
    let removesText = edit.action.replacement != nil && !range.isEmpty
    // Without text, no version is needed.
    guard textMax > 0 else { return removesText ? UTF16Text() : nil }
    if removesText, state == nil, !isTextLost {
      do { state = try engine.version(edit.sequence - 1, replay) } catch {
        guard !replay.isVerified, error.code != .requestCancelled else { throw error }
        isTextLost = true
      }
    }
    guard var version = state.take() else { return nil }
    do {
      try edit.action.validate(textLength: version.length)
      // One more unit is read, to see whether the cut would split a surrogate pair.
      let limit = range.location + textMax + 1
      let removed =
        removesText
        ? version.text(in: UTF16Range(range.location..<min(range.upperBound, limit))) : nil
      try version.advance(by: edit.action)
      state = version
      return removed?.prefix(textMax)
    } catch {
      isTextLost = true
      return nil
    }
  }
}
