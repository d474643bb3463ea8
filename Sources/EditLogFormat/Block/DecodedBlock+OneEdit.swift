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
    var mark = try mark(before: offset, spans, try marks(spans))
    let span = spans[mark.span]
    let edit = try mark.decoder.decode(span[mark.index], shape: span.shape, sequence: sequence)
    withExtendedLifetime(self) {}
    return edit
  }

  /// The place of the edit of this number in the block, counted from 0.
  func mark(
    before offset: Int, _ spans: [EditSpan], _ marks: [ProvenanceMark]
  ) throws(CodecError) -> ProvenanceMark {
    var mark = marks[offset / Self.markDistance]
    for skipped in offset / Self.markDistance * Self.markDistance..<offset {
      try mark.decoder.advance(
        spans[mark.span].shape, sequence: header.firstSequence + UInt64(skipped))
      mark.step(in: spans)
    }
    return mark
  }

  /// A mark before each edit whose place in the block is a multiple of `markDistance`. All columns
  /// of provenance are checked when the marks are made.
  func marks(_ spans: [EditSpan]) throws(CodecError) -> [ProvenanceMark] {
    if let marks = knownMarks.withLock({ $0 }) { return marks }
    let marks = try columns.reading { (reader) throws(CodecError) in
      let (preface, columns, _) = try open(&reader)
      let events = try events(columns)
      var mark = ProvenanceMark(decoder: try provenance(preface, columns))
      var marks: [ProvenanceMark] = []
      marks.reserveCapacity(header.editCount / Self.markDistance + 1)
      var (first, last) = (Timestamp?.none, Timestamp?.none)
      var sequence = header.firstSequence
      for (number, span) in spans.enumerated() {
        let shape = span.shape
        for index in 0..<span.count {
          if (sequence - header.firstSequence) % UInt64(Self.markDistance) == 0 {
            (mark.span, mark.index) = (number, index)
            marks.append(mark)
          }
          let stamp = try mark.decoder.advance(shape, sequence: sequence)
          if first == nil { first = stamp.time }
          last = stamp.time
          sequence += 1
        }
      }
      try mark.decoder.expectEnd()
      if let event = events.first, event.after < header.firstSequence { first = event.time }
      if let event = events.last, event.after == header.lastSequence { last = event.time }
      guard first == header.firstTime, last == header.lastTime else {
        throw CodecError(.mismatch, at: 0)
      }
      return marks
    }
    knownMarks.withLock { $0 = marks }
    return marks
  }
}

extension ProvenanceMark {
  /// Goes on to the next edit.
  @inline(__always)
  mutating func step(in spans: [EditSpan]) {
    index += 1
    if index == spans[span].count { (span, index) = (span + 1, 0) }
  }
}

extension EditSpan {
  /// The shape of each edit of the span.
  var shape: EditShape { EditShape(length: range.length, newLength: insertedLength) }
}
