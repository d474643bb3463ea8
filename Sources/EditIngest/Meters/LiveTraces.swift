import EditLogFormat
package import EditModel
import Synchronization

/// The last traces of each document, of bounded size: a document has at most `countMax`, and all
/// together at most `totalMax`.
package final class LiveTraces: Sendable {
  /// The bytes that a trace takes in memory, about.
  package static let traceSize = 512

  fileprivate struct Ring {
    var traces: [LiveTrace] = []
    /// The number of the last change of any ring when this one changed, and when it was stored.
    var changed = 0
    var stored = 0
  }

  fileprivate struct Rings {
    var all: [DocumentID: Ring] = [:]
    var count = 0
    var changes = 0
  }

  private let rings = Mutex(Rings())
  private let countMax: Int
  private let totalMax: Int

  /// - Parameters:
  ///   - countMax: The number of traces of a document.
  ///   - bytesMax: The memory for the traces of all documents.
  package init(countMax: Int = TraceFile.countMax, bytesMax: Int = 1 << 20) {
    (self.countMax, totalMax) = (max(1, countMax), max(1, bytesMax / Self.traceSize))
  }

  /// Adds the trace of the newest edit of a document. If there are too many, the oldest of the document
  /// goes, or else the oldest of the document that was traced the longest ago.
  package func add(_ trace: LiveTrace, of document: DocumentID) {
    rings.withLock { rings in
      rings.changes += 1
      var ring = rings.all.removeValue(forKey: document) ?? Ring()
      let count = ring.traces.count
      // A history may have ended earlier since then, and been continued.
      ring.traces.removeAll { $0.sequence >= trace.sequence }
      ring.traces.append(trace)
      if ring.traces.count > countMax { ring.traces.removeFirst() }
      ring.changed = rings.changes
      rings.count += ring.traces.count - count
      rings.all[document] = ring
      if rings.count > totalMax { rings.dropOldest() }
    }
  }

  /// Adds the last phase of a trace, if the trace is still there.
  func add(_ span: LiveSpan, to sequence: SequenceNumber, of document: DocumentID) {
    rings.withLock { rings in
      guard let place = rings.all[document]?.traces.lastIndex(where: { $0.sequence == sequence })
      else { return }
      rings.changes += 1
      rings.all[document]?.traces[place].add(span)
      rings.all[document]?.changed = rings.changes
    }
  }

  /// The traces of a document, ascending.
  package func traces(of document: DocumentID) -> [LiveTrace] {
    rings.withLock { $0.all[document]?.traces ?? [] }
  }

  /// The number of all traces.
  package var count: Int { rings.withLock(\.count) }

  /// The documents with traces that are not stored.
  var unstored: [DocumentID] {
    rings.withLock { rings in
      rings.all.filter { $0.value.changed > $0.value.stored }.map(\.key)
        .sorted { $0.name.precedesExactly($1.name) }
    }
  }

  /// The traces of a document, to store them, with the number for `noteStored`. Nil if they are stored.
  func unstored(of document: DocumentID) -> (traces: [LiveTrace], change: Int)? {
    rings.withLock { rings in
      guard let ring = rings.all[document], ring.changed > ring.stored else { return nil }
      return (ring.traces, ring.changed)
    }
  }

  /// The traces up to a change are stored.
  func noteStored(_ document: DocumentID, _ change: Int) {
    rings.withLock { $0.all[document]?.stored = change }
  }

  /// Forgets the traces of a document.
  func forget(_ document: DocumentID) {
    rings.withLock { rings in
      rings.count -= rings.all.removeValue(forKey: document)?.traces.count ?? 0
    }
  }

  /// Nil, or what is wrong: the count is that of the rings, and none has more than its share.
  func invariantViolation() -> String? {
    rings.withLock { rings in
      let counts = rings.all.values.map(\.traces.count)
      guard rings.count == counts.reduce(0, +) else {
        return "\(rings.count) traces are counted, and there are \(counts.reduce(0, +))"
      }
      guard rings.count <= totalMax, counts.allSatisfy({ (1...countMax).contains($0) }) else {
        return "there are too many traces: \(counts)"
      }
      return nil
    }
  }

  /// Renames documents; `names` has the new name for each old one.
  func rename(_ names: [DocumentID: DocumentID]) {
    rings.withLock { rings in
      let moved = names.keys.map { ($0, rings.all.removeValue(forKey: $0)) }
      for (old, ring) in moved {
        guard let ring, let new = names[old] else { continue }
        rings.count -= rings.all.updateValue(ring, forKey: new)?.traces.count ?? 0
      }
    }
  }
}

extension LiveTraces.Rings {
  /// Drops the oldest trace of the document that was traced the longest ago. O(documents).
  fileprivate mutating func dropOldest() {
    guard let oldest = all.min(by: { $0.value.changed < $1.value.changed })?.key else { return }
    all[oldest]?.traces.removeFirst()
    count -= 1
    if all[oldest]?.traces.isEmpty == true { all[oldest] = nil }
  }
}
