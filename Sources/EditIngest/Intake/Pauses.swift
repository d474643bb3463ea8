import EditModel
import NIOCore

/// The documents whose requests are delayed, and until when.
struct Pauses {
  private var ends: [DocumentID: NIODeadline] = [:]

  var isEmpty: Bool { ends.isEmpty }

  /// Delays the requests of a document by `time` from now, or from the end of its pause.
  mutating func add(
    _ time: TimeAmount, of document: DocumentID, at now: NIODeadline = .now()
  ) {
    ends[document] = max(now, ends[document] ?? now) + time
  }

  /// The end of a document's pause. Returns nil if there is none, or if it is over.
  mutating func end(of document: DocumentID, at now: NIODeadline = .now()) -> NIODeadline? {
    guard let end = ends[document] else { return nil }
    if end > now { return end }
    ends[document] = nil
    return nil
  }
}
