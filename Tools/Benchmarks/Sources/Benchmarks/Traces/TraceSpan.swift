import CBaselines

/// Edits of a trace that are one movement of the hand, as the log stores them (`EditSpan`).
struct TraceSpan {
  /// How the edits follow one another, as `EditSpan.Kind` tells them apart.
  enum Kind { case single, insertion, backspacing, deletion }

  var kind: Kind
  /// Edits in the span.
  var count: Int
  /// UTF-16 units that each edit of a run inserts or deletes.
  var size: Int
  /// Where all edits together begin, in the text before the first.
  var location: Int
  /// UTF-16 units that all edits together take away.
  var removed: Int
  /// The units that all edits together insert.
  var inserted: [UInt16]

  /// A span of one edit.
  init(at location: Int, removing removed: Int, inserting inserted: [UInt16]) {
    (kind, count, self.location, self.removed) = (.single, 1, location, removed)
    (size, self.inserted) = (max(removed, inserted.count), inserted)
  }

  /// Takes in the next edit; false, with nothing changed, where it does not belong here.
  mutating func join(at position: Int, removing: Int, inserting: ArraySlice<UInt16>) -> Bool {
    if removing == 0, !inserting.isEmpty {
      return joinInsertion(at: position, inserting)
    }
    guard inserting.isEmpty, inserted.isEmpty, removing == size, removing > 0 else {
      return false
    }
    if position + removing == location, kind != .deletion {
      kind = .backspacing
      location = position
    } else if position == location, kind != .backspacing {
      kind = .deletion
    } else {
      return false
    }
    removed += removing
    count += 1
    return true
  }

  private mutating func joinInsertion(at position: Int, _ units: ArraySlice<UInt16>) -> Bool {
    guard removed == 0, units.count == size, position == location + inserted.count else {
      return false
    }
    inserted.append(contentsOf: units)
    kind = .insertion
    count += 1
    return true
  }
}

extension EditBatch {
  /// The same edits, joined to spans.
  var spans: [TraceSpan] {
    var spans: [TraceSpan] = []
    for edit in flat {
      let (position, removed, new) = (Int(edit.position), Int(edit.removed), inserted(by: edit))
      let isJoined =
        !spans.isEmpty
        && spans[spans.count - 1].join(at: position, removing: removed, inserting: new)
      if !isJoined {
        spans.append(TraceSpan(at: position, removing: removed, inserting: Array(new)))
      }
    }
    return spans
  }

  /// One edit for each span.
  init(_ spans: [TraceSpan]) {
    self.init()
    reserve(spans.count)
    for span in spans {
      append(at: span.location, removing: span.removed, inserting: span.inserted)
    }
  }
}
