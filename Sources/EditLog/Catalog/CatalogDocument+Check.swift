import EditModel

extension CatalogDocument {
  /// What is sealed, in words.
  var summary: String { lastSequence == 1 ? "edit 1" : "edits up to \(lastSequence)" }

  /// The number of the last entry of the segment at `position`; nil if there is none.
  func lastIndex(of position: Int) -> UInt64? {
    segments.indices.contains(position) ? segments[position].lastIndex : nil
  }

  /// Refuses a folder in which a segment is missing, or one lies that was never sealed. Segments
  /// that begin after all that is known to be sealed may have come since.
  func check(_ firsts: [SequenceNumber], in directory: any Directory) throws(LogError) {
    let found = Set(firsts)
    for (position, segment) in segments.enumerated() where !found.contains(segment.first) {
      let isLast = position == segments.count - 1
      let last = isLast ? lastSequence : segments[position + 1].first - 1
      throw .damaged(
        file: "\(directory.path)/\(StoreLayout.name(of: segment.first, .segment))", offset: 0,
        what: segment.first > last
          ? "the segment is missing, with events after edit \(last)"
          : "the segment is missing, with edits \(segment.first) to \(last)")
    }
    let sealed = Set(segments.map(\.first))
    for first in firsts where first <= lastSequence && !sealed.contains(first) {
      throw .damaged(
        file: "\(directory.path)/\(StoreLayout.name(of: first, .segment))", offset: 0,
        what: "a segment of this name was never sealed")
    }
  }
}
