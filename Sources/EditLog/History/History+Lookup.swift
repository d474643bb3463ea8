import EditLogFormat
package import EditModel

extension History {
  /// The greatest distance of two edits in a block that are read in one walk. To find an edit costs as
  /// much as to walk over this number of edits.
  private static let walkMax: SequenceNumber = 64

  /// Calls `body` with the edits of these numbers, in order. Numbers after the horizon, and 0, have no
  /// edit. Each block that has one of the edits is decoded once.
  ///
  /// O(pieces + edits found) without decoding; no edit costs more than `edit(at:)`.
  ///
  /// - Parameters:
  ///   - sequences: Ascending, each number once.
  ///   - body: Receives each edit.
  /// - Throws: `LogError`; what `body` throws.
  package func forEachEdit(
    of sequences: [SequenceNumber], _ body: (Edit) throws -> Void
  ) throws {
    var next = sequences.partitionPoint { $0 == 0 }
    guard next < sequences.count else { return }
    try forEachPiece(from: sequences[next], { $0 as any Error }) { piece throws(any Error) in
      let last = lastSequence(of: piece)
      let end = sequences[next...].partitionPoint { $0 <= last }
      defer { next = end }
      if next < end { try forEachEdit(of: sequences[next..<end], in: piece, body) }
      return end < sequences.count
    }
  }

  private func lastSequence(of piece: Piece) -> SequenceNumber {
    switch piece {
    case .block(_, let block): block.header.lastSequence
    case .chunk(let chunk): unsealed.chunks[chunk].last
    }
  }

  private func forEachEdit(
    of sequences: ArraySlice<SequenceNumber>, in piece: Piece, _ body: (Edit) throws -> Void
  ) throws {
    var next = sequences.startIndex
    func pass(_ entry: HistoryEntry) throws {
      guard next < sequences.endIndex, case .edit(let edit) = entry,
        edit.sequence == sequences[next]
      else { return }
      next += 1
      try body(edit)
    }
    guard case .block(let segment, let block) = piece, !block.header.isLong else {
      for entry in try entries(of: piece) { try pass(entry) }
      return
    }
    let columns = try columns(of: block, segment)
    try segment.reading(block) { () throws(CodecError) in try columns.checkEntries() }
    while next < sequences.endIndex {
      var last = next
      while last + 1 < sequences.endIndex, sequences[last + 1] - sequences[last] <= Self.walkMax {
        last += 1
      }
      try columns.forEachEntry(after: sequences[next] - 1, through: sequences[last], pass)
      // A block has all edits between its first and its last.
      next = last + 1
    }
  }
}
