import EditModel

/// The rule by which the text of a removed paragraph that comes back is a move.
///
/// A paragraph is the continuation of a removed one if all of this is true:
///
/// - one edit removed all of the text of the removed one, its terminator perhaps excepted, and this
///   text has units other than spaces and tabs;
/// - an edit inserted all of the text of the new one, its terminator perhaps excepted: the paragraph
///   is new, or it was blank before;
/// - both texts are equal without their terminators;
/// - the edit that brings the text back is the one that removed it or a later one, and its time is at
///   most `pauseNanosecondsMax` later;
/// - no other paragraph has continued the removed one.
///
/// If several removed paragraphs have this text, the first in document order of those removed last is
/// taken. A paragraph whose text is pasted inside another paragraph has no continuation.
public struct ParagraphMoveRule: Hashable, Sendable {
  /// The maximum time between removal and insertion, in nanoseconds: 5 minutes.
  public var pauseNanosecondsMax: Int64 = 300_000_000_000
  /// The number of removed paragraphs that may still continue. If there are more, the oldest cannot.
  public var removedCountMax = 4_096

  /// The defaults.
  public init() {}
}

/// Removed paragraphs whose text may come back, in order of removal.
struct RecentRemovals: Sendable {
  private struct Removal {
    var place: Int
    var content: UTF16Text
    var stamp: EditStamp
  }

  let rule: ParagraphMoveRule
  private var removals: [Removal] = []
  /// The removals before this index have expired.
  private var head = 0
  /// The indices in `removals` by text, ascending, without those that were taken.
  private var indices: [UTF16Text: [Int]] = [:]

  init(rule: ParagraphMoveRule) { self.rule = rule }

  /// A removed paragraph that has not expired.
  struct Entry {
    var place: Int
    var stamp: EditStamp
    /// True if its text came back.
    var isTaken: Bool
  }

  /// The paragraphs that have not expired, in order of removal. O(n).
  var entries: [Entry] {
    var waiting = Set<Int>()
    for found in indices.values { waiting.formUnion(found) }
    return removals.indices.dropFirst(head).map { index in
      Entry(
        place: removals[index].place, stamp: removals[index].stamp,
        isTaken: !waiting.contains(index))
    }
  }

  /// Adds a paragraph of `entries`, with its text.
  mutating func restore(_ entry: Entry, _ content: UTF16Text) {
    if !entry.isTaken { indices[content, default: []].append(removals.count) }
    removals.append(Removal(place: entry.place, content: content, stamp: entry.stamp))
  }

  /// True if no text may come back. O(1).
  var isEmpty: Bool { indices.isEmpty }

  /// Drops what an edit of this stamp comes too late for. Amortised O(1).
  mutating func expire(before stamp: EditStamp) {
    while head < removals.count, !isClose(removals[head].stamp, stamp) { dropFirst() }
  }

  /// Adds a removed paragraph. Does nothing if the text is blank.
  mutating func append(_ place: Int, _ content: UTF16Text, _ stamp: EditStamp) {
    guard rule.removedCountMax > 0, !content.isBlank else { return }
    if removals.count - head >= rule.removedCountMax { dropFirst() }
    indices[content, default: []].append(removals.count)
    removals.append(Removal(place: place, content: content, stamp: stamp))
  }

  /// Removes a paragraph of this text, and returns its place. O(removed paragraphs of this text).
  mutating func take(_ content: UTF16Text) -> Int? {
    guard let found = indices[content], let last = found.last else { return nil }
    let newest = removals[last].stamp.sequence
    let first = found.partitionPoint { removals[$0].stamp.sequence < newest }
    if found.count == 1 {
      indices[content] = nil
    } else {
      indices[content]?.remove(at: first)
    }
    return removals[found[first]].place
  }

  private mutating func dropFirst() {
    let content = removals[head].content
    if let found = indices[content], found.first == head {
      if found.count == 1 { indices[content] = nil } else { indices[content]?.removeFirst() }
    }
    head += 1
    guard head > 64, head > removals.count / 2 else { return }
    removals.removeFirst(head)
    for (content, found) in indices { indices[content] = found.map { $0 - head } }
    head = 0
  }

  private func isClose(_ removal: EditStamp, _ stamp: EditStamp) -> Bool {
    guard let first = removal.time, let second = stamp.time else { return false }
    let pause = second.nanoseconds.subtractingReportingOverflow(first.nanoseconds)
    return !pause.overflow && pause.partialValue <= rule.pauseNanosecondsMax
  }
}

extension UTF16Text {
  /// UTF-16 units of the paragraph terminator at its end.
  var terminatorLength: Int {
    let units = units.suffix(2)
    switch units.last {
    case 0x0A?: return units.count == 2 && units.first == 0x0D ? 2 : 1
    case 0x0D?, 0x2029?: return 1
    default: return 0
    }
  }

  /// The text without the terminator at its end.
  var content: UTF16Text {
    let length = terminatorLength
    return length == 0 ? self : UTF16Text(units: Array(units.dropLast(length)))
  }

  fileprivate var isBlank: Bool { units.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0xA0 } }
}
