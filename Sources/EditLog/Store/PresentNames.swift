import EditLogFormat
import EditModel

/// The names under which the documents of a store are found.
///
/// Older versions stored URIs of files as editors wrote them, so a store may have several histories of
/// one file, under different names. The one with the newest entry is found by the file's name, the
/// others by `DocumentID.otherHistory`. Names that are not URIs of files are found as they are stored.
struct PresentNames: Sendable {
  /// The numbers of the documents by their names.
  private(set) var numbers: [DocumentID: UInt64] = [:]
  /// The names in the files, of documents that are found by another name.
  private(set) var stored: [UInt64: DocumentID] = [:]
  /// The names of the other histories of a file, ascending, by the file's name.
  private(set) var others: [DocumentID: [DocumentID]] = [:]

  /// No documents.
  init() {}

  /// The present names of documents with these names in the files. `lastTime` returns the time of a
  /// document's last entry; it is called for the histories of one file. O(documents).
  init(
    _ names: [UInt64: DocumentID], lastTime: (UInt64) -> Timestamp?
  ) {
    numbers.reserveCapacity(names.count)
    var shared: [DocumentID: [UInt64]] = [:]
    for (number, name) in names {
      let canonical = name.canonical
      if let other = numbers.updateValue(number, forKey: canonical) {
        shared[canonical, default: [other]].append(number)
      }
      if canonical != name { stored[number] = name }
    }
    for (name, histories) in shared {
      let newestLast = histories.map { (time: lastTime($0), number: $0) }.sorted {
        ($0.time?.nanoseconds ?? .min, $0.number) < ($1.time?.nanoseconds ?? .min, $1.number)
      }
      for history in newestLast.dropLast() {
        // A name that would be too long has no room for the number.
        guard let other = name.otherHistory(history.number) else { continue }
        numbers[other] = history.number
        stored[history.number] = names[history.number]
      }
      numbers[name] = newestLast.last?.number
    }
    for name in numbers.keys {
      if let file = name.fileOfOtherHistory { others[file, default: []].append(name) }
    }
    for file in others.keys { others[file]?.sort { $0.name.precedesExactly($1.name) } }
  }
}

extension JournalContents.Records {
  /// The time of the last entry after the sealed ones, or of the last sealed one; nil if neither is
  /// known.
  func lastTime(after sealed: CatalogDocument?) -> Timestamp? {
    let folded = fold(
      after: sealed?.lastIndex ?? 0, edit: sealed?.lastSequence ?? 0,
      journal: sealed?.journal ?? 0)
    return folded.list.chunks.last?.lastTime ?? sealed?.times?.last
  }
}
