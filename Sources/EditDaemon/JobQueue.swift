import EditLog
import EditModel

/// What is to be done to the files of documents, in which order.
struct JobQueue {
  /// The kinds of jobs, the most urgent first.
  enum Kind: Int, CaseIterable {
    /// Writes a large edit, whose client waits.
    case append
    /// Takes entries out of the journal, which grows meanwhile.
    case seal
    /// Makes reading faster.
    case checkpoint
    /// Compares what was in the files when the daemon started, while no client sends edits.
    case check
    /// Makes files smaller, while no client sends edits.
    case compaction
  }

  private var lists: [Kind: ArraySlice<DocumentID>] = [:]
  private var members: [Kind: Set<DocumentID>] = [:]

  /// Adds a job, once.
  mutating func add(_ kind: Kind, _ document: DocumentID) {
    guard members[kind, default: []].insert(document).inserted else { return }
    lists[kind, default: []].append(document)
  }

  /// Takes out the most urgent job of these kinds.
  mutating func next(of kinds: [Kind]) -> (kind: Kind, document: DocumentID)? {
    for kind in kinds {
      guard let document = lists[kind]?.popFirst() else { continue }
      members[kind]?.remove(document)
      return (kind, document)
    }
    return nil
  }

  /// True where a document waits for a job of this kind.
  func isWaiting(_ kind: Kind) -> Bool { lists[kind]?.isEmpty == false }

  /// Renames documents; `names` has the new name for each old one. O(jobs).
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    for kind in Kind.allCases where members[kind]?.contains(where: { names[$0] != nil }) == true {
      lists[kind] = lists[kind].map { ArraySlice($0.map { names[$0] ?? $0 }) }
      members[kind] = lists[kind].map { Set($0) }
    }
  }
}
