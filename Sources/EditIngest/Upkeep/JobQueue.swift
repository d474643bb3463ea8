import EditLog
import EditModel

/// The waiting jobs, by kind.
struct JobQueue {
  /// The kinds of jobs, the most urgent first.
  enum Kind: Int, CaseIterable {
    /// Writes a large edit, whose client waits.
    case append
    /// Stores the bytes of an attachment, whose client waits.
    case attach
    /// Seals the entries of a document, so that the journals can be removed.
    case seal
    /// Stores checkpoints, which make reading faster.
    case checkpoint
    /// Checks the files of a document as they were at the start. Runs at rest only.
    case check
    /// Stores the states of projections, so that questions about paragraphs and undo do not read the
    /// whole history. Runs at rest only, after the checks.
    case projections
    /// Compresses sealed entries in larger blocks. Runs at rest only.
    case compaction
  }

  private var lists: [Kind: ArraySlice<DocumentID>] = [:]
  private var members: [Kind: Set<DocumentID>] = [:]

  /// Adds a job, unless it is waiting already.
  mutating func add(_ kind: Kind, _ document: DocumentID) {
    guard members[kind, default: []].insert(document).inserted else { return }
    lists[kind, default: []].append(document)
  }

  /// Removes and returns the most urgent job of these kinds.
  mutating func next(of kinds: [Kind]) -> (kind: Kind, document: DocumentID)? {
    for kind in kinds {
      guard let document = lists[kind]?.popFirst() else { continue }
      members[kind]?.remove(document)
      return (kind, document)
    }
    return nil
  }

  /// True if a job of this kind is waiting for a document.
  func contains(_ kind: Kind, _ document: DocumentID) -> Bool {
    members[kind]?.contains(document) == true
  }

  /// True if a job of this kind is waiting.
  func isWaiting(_ kind: Kind) -> Bool { lists[kind]?.isEmpty == false }

  /// Renames documents; `names` has the new name for each old one. O(names), or O(jobs) if one
  /// of them waits.
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    for kind in Kind.allCases where names.keys.contains(where: { contains(kind, $0) }) {
      var renamed: Set<DocumentID> = []
      // A job may wait for a forgotten document that had the new name.
      let list = lists[kind, default: []].map { names[$0] ?? $0 }
      lists[kind] = ArraySlice(list.filter { renamed.insert($0).inserted })
      members[kind] = renamed
    }
  }

  /// Nil, or what is wrong: a job that waits is listed once. O(kinds).
  func invariantViolation() -> String? {
    for (kind, list) in lists where list.count != members[kind]?.count ?? 0 {
      return "\(list.count) jobs \(kind) are listed for \(members[kind]?.count ?? 0) documents"
    }
    return nil
  }
}
