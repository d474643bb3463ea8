package import EditModel
package import EditProtocol

/// The edits near the position: blocks of a fixed length, of which a bounded number is kept.
///
/// An edit that is not longer than `textMax` has its whole text and the whole removed text, so that it
/// can be applied and taken back, unless its block has too much text. Of any other, beginnings are known.
package struct EditWindow: Sendable {
  /// The edits of a block, at most.
  package static let blockLength: SequenceNumber = 1_024
  /// The maximum length of a text, in UTF-16 units.
  package static let textMax = LogPreviewRequest.textMaxLimit
  /// The maximum length of all texts of a block, in UTF-16 units. If they are longer, each text is cut to
  /// its share.
  private static let blockTextMax = 512 << 10
  /// Blocks that are kept, at most.
  package static let blockCountMax = 64

  private struct Block {
    var edits: [EditPreview]
    var lastUse: UInt64
  }

  private var blocks: [SequenceNumber: Block] = [:]
  private var useCount: UInt64 = 0

  /// No edits.
  package init() {}

  /// The edit; nil if its block is not there.
  package subscript(sequence: SequenceNumber) -> EditPreview? {
    guard sequence > 0, let block = blocks[Self.block(of: sequence)] else { return nil }
    let index = Int((sequence - 1) % Self.blockLength)
    return index < block.edits.count ? block.edits[index] : nil
  }

  /// The request for the block of an edit, which must not be after `latest`.
  package static func request(
    for sequence: SequenceNumber, latest: SequenceNumber
  ) -> ScrubRequest {
    let first = block(of: max(sequence, 1)) * blockLength
    return .edits(after: first, through: min(first + blockLength, latest))
  }

  /// The request for some blocks before the block of an edit, and before those in a row that are there already.
  /// Nil if all blocks to the beginning are there.
  package func request(before sequence: SequenceNumber, blockCount: SequenceNumber) -> ScrubRequest?
  {
    var end = Self.block(of: max(sequence, 1))
    while end > 0, blocks[end - 1] != nil { end -= 1 }
    guard end > 0 else { return nil }
    return .edits(
      after: (end - min(end, blockCount)) * Self.blockLength, through: end * Self.blockLength)
  }

  /// The edits after `after`, up to `through`. `page` asks for a part of the history.
  package static func edits(
    after: SequenceNumber, through: SequenceNumber,
    page: (HistoryPart) async throws -> [EntryPreview]
  ) async throws -> [EditPreview] {
    var (edits, start) = ([EditPreview](), after)
    while start < through {
      let end = min(through, start + blockLength)
      var block: [EditPreview] = []
      while start < end {
        // Without `through`, the engine keeps the state for the part after this one.
        let entries = try await page(HistoryPart(after: start, limit: Int(end - start)))
        for case .edit(let edit) in entries { block.append(edit) }
        guard let last = block.last?.sequence, last > start else { return edits + bounded(block) }
        start = last
      }
      edits += bounded(block)
    }
    return edits
  }

  /// The edits of a block, with texts that are not longer together than `blockTextMax`.
  private static func bounded(_ edits: [EditPreview]) -> [EditPreview] {
    let length = edits.reduce(0) { $0 + ($1.text?.count ?? 0) + ($1.removed?.count ?? 0) }
    guard length > blockTextMax else { return edits }
    let share = blockTextMax / (2 * edits.count)
    return edits.map {
      var edit = $0
      (edit.text, edit.removed) = (edit.text?.prefix(share), edit.removed?.prefix(share))
      return edit
    }
  }

  /// Adds the answer to a request: one block or several. An answer that is not one, or has gaps, is ignored.
  package mutating func insert(_ edits: [EditPreview], after: SequenceNumber) {
    let length = Int(Self.blockLength)
    guard after % Self.blockLength == 0, edits.count <= Self.blockCountMax / 2 * length,
      edits.indices.allSatisfy({ edits[$0].sequence == after + 1 + UInt64($0) })
    else { return }
    for start in stride(from: 0, to: max(1, edits.count), by: length) {
      useCount += 1
      let part = Array(edits[start..<min(start + length, edits.count)])
      blocks[after / Self.blockLength + UInt64(start / length)] = Block(
        edits: part, lastUse: useCount)
    }
    while blocks.count > Self.blockCountMax,
      let oldest = blocks.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      blocks[oldest.key] = nil
    }
  }

  /// Notes that the block of an edit is in use, so that it is kept.
  package mutating func touch(_ sequence: SequenceNumber) {
    useCount += 1
    blocks[Self.block(of: max(sequence, 1))]?.lastUse = useCount
  }

  private static func block(of sequence: SequenceNumber) -> SequenceNumber {
    (sequence - 1) / blockLength
  }
}

extension EditPreview {
  /// True if the preview has all of the new text, so that the edit can be applied.
  package var hasWholeText: Bool { (text?.count ?? 0) == insertedLength }

  /// True if the preview has all of the removed text, so that the edit can be taken back.
  package var hasWholeRemoved: Bool { (removed?.count ?? 0) == removedLength }

  /// The range of the new text, in the text after the edit. Of an edit that formats, its range.
  var editedRange: UTF16Range {
    UTF16Range(range.location..<range.location + (text == nil ? range.length : insertedLength))
  }
}
