import CBaselines
import EditModel

/// A bare gap buffer of UTF-16 units in Swift, on unsafe memory: the C one, line by line.
struct SwiftGapText: EditedText {
  static let name = "swift-gap-buffer"
  private let memory = GapMemory()

  mutating func apply(_ batch: EditBatch) {
    var gap = memory.gap
    batch.units.withUnsafeBufferPointer { units in
      batch.flat.withUnsafeBufferPointer { edits in
        for edit in edits {
          // The edit's source lies in `units`: the batch put it there.
          let source = UnsafeBufferPointer(
            rebasing: units[Int(edit.source)..<Int(edit.source + edit.inserted)])
          gap.replace(Int(edit.position), Int(edit.removed), with: source)
        }
      }
    }
    memory.gap = gap
  }

  var units: [UInt16] { memory.gap.elements }
}

/// The same, fed with the actions that the state is fed with: what reading them costs.
struct SwiftGapActionsText: EditedText {
  static let name = "swift-gap-buffer-of-actions"
  private let memory = GapMemory()

  mutating func apply(_ batch: EditBatch) {
    var gap = memory.gap
    batch.actions.withUnsafeBufferPointer { actions in
      for index in actions.indices {
        let range = actions[index].range
        actions[index].replacement?.units.withUnsafeBufferPointer {
          gap.replace(range.location, range.length, with: $0)
        }
      }
    }
    memory.gap = gap
  }

  var units: [UInt16] { memory.gap.elements }
}

/// Owns a gap buffer's memory.
private final class GapMemory {
  var gap = Gap()
  deinit { gap.units.deallocate() }
}

/// Units before `start` and from `end` on; between them the gap.
private struct Gap {
  var units = UnsafeMutablePointer<UInt16>.allocate(capacity: 1024)
  var start = 0
  var end = 1024
  var capacity = 1024

  var elements: [UInt16] {
    // Both parts lie inside the `capacity` units of memory.
    Array(UnsafeBufferPointer(start: units, count: start))
      + Array(UnsafeBufferPointer(start: units + end, count: capacity - end))
  }

  @inline(__always)
  mutating func replace(
    _ position: Int, _ removed: Int, with source: UnsafeBufferPointer<UInt16>
  ) {
    let after = position + removed
    if position <= start, start <= after {
      end += after - start
      start = position
    } else {
      let isBefore = after < start
      move(to: isBefore ? after : position)
      if isBefore { start = position } else { end += removed }
    }
    if source.count > end - start { grow(for: source.count) }
    if source.count == 1 {
      units[start] = source[0]
      start += 1
    } else if let base = source.baseAddress, source.count > 1 {
      // The gap has room for `source.count` units: it was grown if not.
      (units + start).update(from: base, count: source.count)
      start += source.count
    }
  }

  private mutating func move(to position: Int) {
    // Both sides of a move lie inside the text, which the edit fits.
    if position < start {
      let count = start - position
      (units + end - count).update(from: units + position, count: count)
      end -= count
    } else if position > start {
      let count = position - start
      (units + start).update(from: units + end, count: count)
      end += count
    }
    start = position
  }

  @inline(never)
  private mutating func grow(for count: Int) {
    let (length, tail) = (capacity - (end - start), capacity - end)
    var size = capacity
    while size - length < count { size *= 2 }
    let grown = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
    // `size` is larger than `capacity`, so both parts fit.
    grown.update(from: units, count: start)
    (grown + size - tail).update(from: units + end, count: tail)
    units.deallocate()
    (units, end, capacity) = (grown, size - tail, size)
  }
}
