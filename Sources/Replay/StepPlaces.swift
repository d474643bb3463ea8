import EditLog
package import EditModel
import Projections
import TextState

/// Finds the versions at which steps end. What it read last is kept, because the next step is most
/// often nearby.
package struct StepPlaces: Sendable {
  package typealias Direction = ReplayCursor.Direction

  private let replay: Replay
  private let kept: KeptStates
  private var saves: [SequenceNumber]?
  private var sessions: [SequenceNumber]?
  private var undoSteps: Ends?
  private var paragraphChanges: Ends?

  /// The ends of steps in a part of the history.
  private struct Ends {
    /// The versions of the part.
    var versions: ClosedRange<SequenceNumber>
    /// Those at which a step ends, ascending.
    var found: [SequenceNumber] = []
  }

  /// The number of versions in a part.
  private static let partCount: SequenceNumber = 1 << 10

  /// The places in the history of `replay`. `kept` are states of that history.
  ///
  /// - Throws: `ReplayError` if the replay is verified and a link does not hold.
  package init(_ replay: Replay, _ kept: KeptStates) throws(ReplayError) {
    do { try self.init(replay, kept, pass: { _ in }) } catch { throw ReplayError(reading: error) }
  }

  /// As `init(_:_:)`; `pass` as in `Replay.sequence(of:pass:)`.
  package init(_ replay: Replay, _ kept: KeptStates, pass: Replay.Pass) throws {
    try replay.check(pass: pass)
    (self.replay, self.kept) = (replay, kept)
  }

  private var last: SequenceNumber { replay.history.lastSequence }

  /// The version after `count` steps from the version `start`, and the number of steps made: fewer if
  /// the history ends before.
  ///
  /// - Throws: `ReplayError` if the history cannot be read.
  package mutating func place(
    from start: SequenceNumber, _ direction: Direction, by unit: StepUnit, count: Int
  ) throws(ReplayError) -> (sequence: SequenceNumber, count: Int) {
    guard count > 0 else { return (start, 0) }
    if unit == .edit {
      let room = direction == .forward ? last - start : start
      let made = min(UInt64(count), room)
      return (direction == .forward ? start + made : start - made, Int(made))
    }
    var (place, made) = (start, 0)
    while made < count, let next = try next(place, direction, unit) {
      (place, made) = (next, made + 1)
    }
    return (place, made)
  }

  /// The version after one step; nil if there is none.
  private mutating func next(
    _ place: SequenceNumber, _ direction: Direction, _ unit: StepUnit
  ) throws(ReplayError) -> SequenceNumber? {
    switch unit {
    case .edit:
      direction == .forward ? (place < last ? place + 1 : nil) : (place > 0 ? place - 1 : nil)
    case .undoStep: try next(place, direction, \.undoSteps, Self.undoSteps)
    case .paragraphChange:
      try next(place, direction, \.paragraphChanges, Self.paragraphChanges)
    case .save:
      try next(place, direction, \.saves) { if case .saved = $0 { true } else { false } }
    case .session:
      try next(place, direction, \.sessions) { if case .session = $0 { true } else { false } }
    case .time(let nanoseconds): try next(place, direction, within: max(0, nanoseconds))
    }
  }

  // MARK: Events

  private mutating func next(
    _ place: SequenceNumber, _ direction: Direction,
    _ known: WritableKeyPath<Self, [SequenceNumber]?>, _ isPlace: (HistoryEvent.Kind) -> Bool
  ) throws(ReplayError) -> SequenceNumber? {
    if let places = self[keyPath: known] { return places.neighbour(of: place, direction) }
    let places = try replay.eventPlaces(isPlace)
    self[keyPath: known] = places
    return places.neighbour(of: place, direction)
  }

  // MARK: Time

  private func next(
    _ place: SequenceNumber, _ direction: Direction, within nanoseconds: Int64
  ) throws(ReplayError) -> SequenceNumber? {
    guard direction == .forward ? place < last : place > 0 else { return nil }
    do {
      guard let time = try replay.history.time(ofEdit: max(place, 1)) else { return nil }
      switch direction {
      case .forward:
        let (limit, isBeyond) = time.nanoseconds.addingReportingOverflow(nanoseconds)
        let found = try replay.history.sequence(
          at: Timestamp(nanoseconds: isBeyond ? .max : limit))
        return max(place + 1, min(found, last))
      case .backward:
        let (limit, isBeyond) = time.nanoseconds.subtractingReportingOverflow(nanoseconds)
        let found = try replay.history.sequence(
          at: Timestamp(nanoseconds: isBeyond ? .min : limit))
        return min(place - 1, found)
      }
    } catch { throw .log(error) }
  }

  // MARK: Edits in a row

  private mutating func next(
    _ place: SequenceNumber, _ direction: Direction, _ known: WritableKeyPath<Self, Ends?>,
    _ read: (Self) -> (ClosedRange<SequenceNumber>) throws(ReplayError) -> [SequenceNumber]
  ) throws(ReplayError) -> SequenceNumber? {
    guard direction == .forward ? place < last : place > 0 else { return nil }
    var part = direction == .forward ? place : place - 1
    while true {
      var ends = self[keyPath: known]
      if ends?.versions.contains(part) != true {
        let first = part / Self.partCount * Self.partCount
        let versions = first...min(last, first + Self.partCount - 1)
        ends = Ends(versions: versions, found: try read(self)(versions))
        self[keyPath: known] = ends
      }
      guard let ends else { return nil }
      if let found = ends.found.neighbour(of: place, direction) { return found }
      // The versions 0 and `last` are ends, so the search stops there.
      switch direction {
      case .forward:
        guard ends.versions.upperBound < last else { return nil }
        part = ends.versions.upperBound + 1
      case .backward:
        guard ends.versions.lowerBound > 0 else { return nil }
        part = ends.versions.lowerBound - 1
      }
    }
  }

  /// The versions of a part after which an undo step begins, and the last version of the history.
  private func undoSteps(
    in versions: ClosedRange<SequenceNumber>
  ) throws(ReplayError) -> [SequenceNumber] {
    let reach = UndoBoundaries.reach
    var (boundaries, found) = (UndoBoundaries(), [SequenceNumber]())
    do {
      try replay.history.forEachEntry(
        after: versions.lowerBound - min(reach, versions.lowerBound),
        through: versions.upperBound + min(reach, last - versions.upperBound)
      ) { entry in
        switch entry {
        case .event(let event): boundaries.note(event, at: event.after)
        case .edit(let edit):
          switch boundaries.continuation(of: edit) {
          case nil: found.append(edit.sequence - 1)
          case .correction(let first): if found.last == first - 1 { found.removeLast() }
          case .transaction, .stroke: break
          }
        }
      }
    } catch { throw ReplayError(reading: error) }
    return found.filter(versions.contains) + (versions.upperBound == last ? [last] : [])
  }

  /// The versions of a part between two edits that do not change one and the same paragraph, and the
  /// first and the last version of the history.
  private func paragraphChanges(
    in versions: ClosedRange<SequenceNumber>
  ) throws(ReplayError) -> [SequenceNumber] {
    var state = try kept.state(at: versions.before, replay)
    var (found, before): ([SequenceNumber], ParagraphID?) = ([], nil)
    do {
      try replay.history.forEachSpan(
        after: versions.before, through: min(versions.upperBound + 1, last)
      ) { span in
        for index in 0..<span.count {
          let version = state.sequence
          let changed = try Replay.changedParagraph(by: span[index], of: &state)
          if changed == nil || changed != before, versions.contains(version) {
            found.append(version)
          }
          before = changed
        }
      }
    } catch { throw ReplayError(reading: error) }
    return found + (versions.upperBound == last ? [last] : [])
  }
}

extension Replay {
  /// Applies an edit. Returns the paragraph that it changes; nil if there is not exactly one, or it is
  /// inserted or removed.
  fileprivate static func changedParagraph(
    by action: EditAction, of state: inout TextState
  ) throws(ReplayError) -> ParagraphID? {
    let events: ParagraphEvents
    do { events = try state.apply(action).paragraphEvents } catch {
      throw .unfitEdit(sequence: state.sequence + 1, reason: error)
    }
    guard events.count == 1, let event = events.first else { return nil }
    switch event {
    case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
      return descriptor.id
    case .inserted, .removed: return nil
    }
  }
}

extension ClosedRange<SequenceNumber> {
  /// The version before the edit that made the first version.
  fileprivate var before: SequenceNumber { lowerBound == 0 ? 0 : lowerBound - 1 }
}

extension [SequenceNumber] {
  /// The next element of an ascending list after `place`, or the one before it.
  fileprivate func neighbour(
    of place: SequenceNumber, _ direction: StepPlaces.Direction
  ) -> SequenceNumber? {
    switch direction {
    case .forward:
      let index = partitionPoint { $0 <= place }
      return index < count ? self[index] : nil
    case .backward:
      let index = partitionPoint { $0 < place }
      return index > 0 ? self[index - 1] : nil
    }
  }
}
