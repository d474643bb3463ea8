import EditModel
import Synchronization

/// The sealed part of a document's history: its segments as they are when it is opened.
///
/// Only the last segment is ever replaced by one that says more, of the same name. It is opened
/// at once, so its bytes stay what they are. The others are opened when they are asked for: one
/// that was compacted meanwhile holds the same entries.
final class SealedPart: Sendable {
  let directory: any Directory
  private let store: StoreID
  private let document: UInt64
  /// The numbers in the segments' names, ascending: each segment's first sequence number.
  let firsts: [SequenceNumber]
  let last: Segment?
  private let opened = Mutex<[Int: Segment]>([:])

  /// The segments in the directory of a document.
  init(in directory: any Directory, store: StoreID, document: UInt64) throws(LogError) {
    (self.directory, self.store, self.document) = (directory, store, document)
    firsts = StoreLayout.numbers(.segment, in: try directory.names())
    last = try firsts.last.map { first throws(LogError) in
      try Self.open(first, directory, store, document)
    }
    // A segment that lost its footer knows only how many entries it has.
    var lastIndex = last?.index.lastIndex ?? 0
    var (segment, before) = (last, firsts.dropLast())
    while segment?.index.isRebuilt == true, let first = before.popLast() {
      let previous = try Self.open(first, directory, store, document)
      lastIndex += previous.index.lastIndex
      segment = previous
    }
    self.lastIndex = lastIndex
  }

  private static func open(
    _ first: SequenceNumber, _ directory: any Directory, _ store: StoreID, _ document: UInt64
  ) throws(LogError) -> Segment {
    let file = try directory.open(StoreLayout.name(of: first, .segment), .read)
    return try Segment(file, store: store, document: document, first: first)
  }

  var count: Int { firsts.count }
  /// The oldest journal that may hold entries behind the sealed ones.
  var journal: UInt64 { last?.index.journal ?? 0 }
  /// The number of the last sealed entry, edits and events counted together.
  let lastIndex: UInt64
  var lastSequence: SequenceNumber { last?.index.lastSequence ?? 0 }

  /// The segment at `position`, counted from 0.
  func segment(_ position: Int) throws(LogError) -> Segment {
    if position == count - 1, let last { return last }
    if let segment = opened.withLock({ $0[position] }) { return segment }
    let segment = try Self.open(firsts[position], directory, store, document)
    guard segment.index.lastSequence &+ 1 == firsts[position + 1] else {
      throw .damaged(
        file: segment.file.path, offset: segment.index.blocksEnd,
        what: "the segment after edit \(segment.index.lastSequence) is missing")
    }
    opened.withLock { $0[position] = segment }
    return segment
  }

  /// Refuses to read from the edit `sequence` on where the segments begin behind it.
  func checkBegins(at sequence: SequenceNumber) throws(LogError) {
    guard let first = firsts.first, max(sequence, 1) < first else { return }
    throw .damaged(
      file: directory.path, offset: 0, what: "the segment before edit \(first) is missing")
  }

  /// Runs `body` on all segments in order.
  func forEach(_ body: (Segment) throws(LogError) -> Void) throws(LogError) {
    try checkBegins(at: 1)
    for position in 0..<count { try body(try segment(position)) }
  }

  /// The position of the segment that holds the edit `sequence`, or would.
  func position(of sequence: SequenceNumber) -> Int {
    max(0, firsts.partitionPoint { $0 <= sequence } - 1)
  }
}

extension RandomAccessCollection where Index == Int {
  /// How many elements at the front satisfy `belongs`, where no later one does after one that
  /// does not. O(log n).
  func partitionPoint(_ belongs: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongs(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
