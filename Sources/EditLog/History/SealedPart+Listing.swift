import EditLogFormat
import EditModel

/// A segment that was written, and does not have its name yet.
struct WrittenSegment {
  var first: SequenceNumber
  var index: SegmentIndex
  /// The size of its file in bytes.
  var size: Int
}

extension SealedPart {
  /// The document's row in the catalog; nil without a segment, or without the footer of the last one.
  /// With `written`, the row once that segment has its name.
  ///
  /// Reads the last segment that `known` lists, because it may have grown before a writer was
  /// killed, and newer segments. The others are as in `known`.
  func listing(
    _ name: DocumentID, after known: CatalogDocument? = nil, with written: WrittenSegment? = nil
  ) throws(LogError) -> CatalogDocument? {
    let all = Set(firsts).union(written.map { [$0.first] } ?? []).sorted()
    let newest = written.flatMap { $0.first == all.last ? $0.index : nil } ?? last?.index
    guard let newest, let head = newest.head, !newest.isRebuilt else { return nil }
    var document = CatalogDocument(
      name: name, lastIndex: newest.lastIndex, lastSequence: newest.lastSequence, head: head,
      journal: newest.journal, isDamaged: !newest.damages.isEmpty, segments: [])
    let before = known?.segments.dropLast() ?? []
    for (position, first) in all.enumerated() {
      if let written, first == written.first {
        document.add(
          .init(first: first, lastIndex: written.index.lastIndex, size: written.size),
          written.index.blocks)
      } else if before.indices.contains(position), before[position].first == first {
        document.segments.append(before[position])
        document.times = known?.times
      } else {
        let segment = try segment(position)
        document.add(
          .init(first: first, lastIndex: segment.index.lastIndex, size: segment.file.size),
          segment.index.blocks)
      }
    }
    return document
  }
}

extension CatalogDocument {
  fileprivate mutating func add(_ segment: Segment, _ blocks: [SegmentIndex.Block]) {
    segments.append(segment)
    guard let first = blocks.first?.header, let last = blocks.last?.header else { return }
    times = Times(first: times?.first ?? first.firstTime, last: last.lastTime)
  }
}
