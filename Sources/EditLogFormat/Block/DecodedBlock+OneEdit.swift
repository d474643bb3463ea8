package import EditModel
import Synchronization

/// A place in a block from which times, authors and origins can be read.
///
/// It refers to the columns of its block, and must not be used after that is gone.
struct ProvenanceMark: @unchecked Sendable {
  // Safe to share between threads: readers are values, and the bytes they refer to never change.

  /// The number of the span that has the next edit, and the place of the edit in it.
  var span = 0
  var index = 0
  var decoder: ProvenanceDecoder
}

extension DecodedBlock {
  /// Edits between two marks.
  static let markDistance = 128

  /// The edit of this number; nil if the block has none. O(log spans + 128) after the first time,
  /// which reads the columns of all edits.
  package func edit(at sequence: SequenceNumber) throws(CodecError) -> Edit? {
    guard sequence >= header.firstSequence,
      sequence - header.firstSequence < UInt64(header.editCount)
    else { return nil }
    let spans = try self.spans()
    let offset = Int(sequence - header.firstSequence)
    var mark = try marks(spans)[offset / Self.markDistance]
    var next = header.firstSequence + UInt64(offset / Self.markDistance * Self.markDistance)
    while next < sequence {
      try mark.decoder.advance(spans[mark.span].shape, sequence: next)
      mark.step(in: spans)
      next += 1
    }
    let span = spans[mark.span]
    let edit = try mark.decoder.decode(span[mark.index], shape: span.shape, sequence: sequence)
    withExtendedLifetime(self) {}
    return edit
  }

  /// A mark before each edit whose place in the block is a multiple of `markDistance`.
  private func marks(_ spans: [EditSpan]) throws(CodecError) -> [ProvenanceMark] {
    if let marks = knownMarks.withLock({ $0 }) { return marks }
    let marks = try columns.reading { (reader) throws(CodecError) in
      let (preface, columns, _) = try open(&reader)
      var mark = ProvenanceMark(decoder: try provenance(preface, columns))
      var marks: [ProvenanceMark] = []
      for offset in 0..<header.editCount {
        if offset % Self.markDistance == 0 { marks.append(mark) }
        try mark.decoder.advance(
          spans[mark.span].shape, sequence: header.firstSequence + UInt64(offset))
        mark.step(in: spans)
      }
      try mark.decoder.expectEnd()
      return marks
    }
    knownMarks.withLock { $0 = marks }
    return marks
  }
}

extension ProvenanceMark {
  /// Goes on to the next edit.
  @inline(__always)
  fileprivate mutating func step(in spans: [EditSpan]) {
    index += 1
    if index == spans[span].count { (span, index) = (span + 1, 0) }
  }
}

extension EditSpan {
  /// The shape of each edit of the span.
  var shape: EditShape { EditShape(length: range.length, newLength: insertedLength) }
}
