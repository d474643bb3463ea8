import EditLog
import EditModel
package import EditProtocol
package import Replay
import TextState

extension ParagraphDiffRequest: HistoryQuestion {
  package var isClosed: Bool { from.isNumber && to.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ParagraphDiffAnswer {
    let points = (try engine.point(from, "from"), try engine.point(to, "to"))
    try await engine.refuseLost(points.0, replay.history)
    try await engine.refuseLost(points.1, replay.history)
    let old: TextState
    let new: TextState
    var progress = FoldProgress(engine.work, 0...replay.history.lastSequence, share: 0...0.9)
    do {
      (old, new) = try replay.states(points.0, points.1) { try progress.note($0) }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    try engine.work?.pass(0.9)
    let all = ParagraphDifferences(from: old, to: new)
    let end = min(all.count, offset + min(limit, max(0, all.count - offset)))
    let changes = offset < end ? (offset..<end).map { all[$0] } : []
    return ParagraphDiffAnswer(
      from: old.sequence, to: new.sequence, changes: changes,
      next: end < all.count && offset < end ? end : nil)
  }
}

/// The paragraphs that differ between two versions. Texts are read as they are asked for.
private struct ParagraphDifferences {
  private let (old, new): (TextState, TextState)
  /// Removed paragraphs by ascending old index, then all others by ascending new index.
  private let events: [ParagraphEvent]
  /// The removed paragraph from which an inserted one was moved.
  private var origins: [ParagraphID: ParagraphID] = [:]

  init(from old: TextState, to new: TextState) {
    (self.old, self.new) = (old, new)
    var (removed, others): ([ParagraphEvent], [ParagraphEvent]) = ([], [])
    for event in new.difference(from: old).paragraphEvents {
      if case .removed = event { removed.append(event) } else { others.append(event) }
    }
    removed.reverse()
    var texts: [UTF16Text: [ParagraphID]] = [:]
    for case .removed(_, let descriptor, _) in removed.reversed() {
      let text = old.text(in: descriptor.range)
      if text.isMovable { texts[text.content, default: []].append(descriptor.id) }
    }
    for event in others {
      guard let arrived = Self.arrived(event, old) else { continue }
      // The first of equal ones is last in the list.
      if let origin = texts[new.text(in: arrived.range).content]?.popLast() {
        origins[arrived.id] = origin
      }
    }
    let moved = Set(origins.values)
    events =
      removed.filter {
        if case .removed(_, let paragraph, _) = $0 { !moved.contains(paragraph.id) } else { true }
      }
      + others
  }

  /// The paragraph of an event if all of its text is new: it was inserted, or was blank before.
  private static func arrived(_ event: ParagraphEvent, _ old: TextState) -> ParagraphDescriptor? {
    switch event {
    case .inserted(_, let descriptor, _): descriptor
    case .edited(_, let descriptor, let oldRange):
      oldRange.length <= 8 && !old.text(in: oldRange).isMovable ? descriptor : nil
    case .removed, .attributesChanged: nil
    }
  }

  var count: Int { events.count }

  subscript(position: Int) -> ShownParagraphDifference {
    switch events[position] {
    case .removed(let index, let descriptor, _):
      ShownParagraphDifference(
        .removed, id: descriptor.id, index: index, range: descriptor.range,
        oldText: cut(old, descriptor.range))
    case .inserted(let index, let descriptor, _):
      ShownParagraphDifference(
        origins[descriptor.id] == nil ? .added : .moved, id: descriptor.id, index: index,
        range: descriptor.range, text: cut(new, descriptor.range),
        movedFrom: origins[descriptor.id])
    case .edited(let index, let descriptor, let oldRange):
      ShownParagraphDifference(
        origins[descriptor.id] == nil ? .edited : .moved, id: descriptor.id, index: index,
        range: descriptor.range, text: cut(new, descriptor.range), oldText: cut(old, oldRange),
        movedFrom: origins[descriptor.id])
    case .attributesChanged(let index, let descriptor, _):
      ShownParagraphDifference(
        .attributesChanged, id: descriptor.id, index: index, range: descriptor.range,
        text: cut(new, descriptor.range))
    }
  }

  private func cut(_ state: TextState, _ range: UTF16Range) -> UTF16Text {
    let length = min(range.length, ParagraphDiffRequest.textLengthMax + 1)
    return state.text(in: UTF16Range(range.location..<range.location + length))
      .prefix(ParagraphDiffRequest.textLengthMax)
  }
}

extension UTF16Text {
  /// True if a paragraph of this text can be told from others by it: it is not blank.
  fileprivate var isMovable: Bool {
    units.contains { ![0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x2029].contains($0) }
  }

  /// The text without its terminator: the last paragraph has none.
  fileprivate var content: UTF16Text {
    var units = self.units
    while let last = units.last, [0x0A, 0x0D, 0x2029].contains(last) { units.removeLast() }
    return UTF16Text(units: units)
  }
}
