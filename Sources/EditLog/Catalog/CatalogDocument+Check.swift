import EditLogFormat
import EditModel

extension CatalogDocument {
  /// The sealed part, in words.
  var summary: String { lastSequence == 1 ? "edit 1" : "edits up to \(lastSequence)" }

  /// True if the segment at `position`, which is not the newest, may end with entry `lastIndex`.
  /// The last listed segment may have grown before newer ones were created. Earlier segments do not
  /// change.
  func allows(lastIndex: UInt64, at position: Int) -> Bool {
    guard segments.indices.contains(position) else { return true }
    let listed = segments[position].lastIndex
    return position == segments.count - 1 ? lastIndex >= listed : lastIndex == listed
  }

  /// True if the last segment, with this index, may name its journal. It may name a newer one than is
  /// listed if it has later entries, or tells of damage: a writer was killed before it wrote the
  /// catalog.
  func allows(_ last: SegmentIndex) -> Bool {
    last.lastIndex == lastIndex && last.damages.isEmpty
      ? last.journal == journal : last.journal >= journal
  }

  /// The entries that are lost with the segment that begins at the edit `first`, in words.
  func missing(_ first: SequenceNumber, in directory: any Directory) -> LogError {
    let next = segments.first { $0.first > first }
    let last = next.map { $0.first - 1 } ?? lastSequence
    return .damaged(
      file: directory.path(of: StoreLayout.name(of: first, .segment)), offset: 0,
      what: first > last
        ? "the segment is missing, with events after edit \(last)"
        : "the segment is missing, with edits \(first) to \(last)")
  }

  /// The error that explains `error` of the segment that begins at the edit `first`: "the file is
  /// cut" if it is shorter than the catalog says and `error` concerns its end; otherwise `error`.
  func explain(
    _ error: LogError, of first: SequenceNumber, in directory: any Directory
  ) -> LogError {
    let name = StoreLayout.name(of: first, .segment)
    guard case .damaged(_, let offset, _) = error,
      let expected = segments.first(where: { $0.first == first })?.size,
      let size = try? directory.open(name, .read).size(), size < expected,
      offset >= size - SegmentFooter.trailerSize
    else { return error }
    return .damaged(
      file: directory.path(of: name), offset: size,
      what: "the file is cut: it had \(expected) bytes")
  }

  /// Refuses a folder in which the last segment is missing, or that has a segment which was never
  /// sealed. Segments that begin after the known end may have been written since.
  func check(_ firsts: [SequenceNumber], in directory: any Directory) throws(LogError) {
    if let last = segments.last?.first, !firsts.contains(last) {
      throw missing(last, in: directory)
    }
    let sealed = Set(segments.map(\.first))
    for first in firsts where first <= lastSequence && !sealed.contains(first) {
      throw .damaged(
        file: directory.path(of: StoreLayout.name(of: first, .segment)), offset: 0,
        what: "no segment of this name was ever sealed")
    }
  }
}
