package import EditLogFormat
import EditModel
public import TextState

/// A stored state: text, attribute runs and paragraphs of one version, as bytes.
///
///     sequence | count of the text's UTF-16 units, the text in WTF-8
///     count of attribute sets, the sets | count of runs, each: length, number of its set
///     count of paragraphs, each: length, its identifier's sequence minus the one before's, ordinal
///
/// Numbers are varints, the difference a zigzag varint. The bytes are a cache: a reader that
/// cannot use them replays from the start.
public enum CheckpointCodec {
  /// The bytes of a state, for `StoreWriter.writeCheckpoint`. O(length + paragraphs).
  public static func encode(_ state: TextState) -> [UInt8] {
    var writer = ByteWriter(capacity: state.length + state.paragraphCount * 6 + 64)
    writer.write(varint: state.sequence)
    writer.write(varint: UInt64(state.length))
    encodeText(of: state, to: &writer)
    encodeRuns(state.attributeRuns, to: &writer)
    writer.write(varint: UInt64(state.paragraphCount))
    var born: SequenceNumber = 0
    for paragraph in state.paragraphs {
      writer.write(varint: UInt64(paragraph.range.length))
      writer.write(zigzag: Int64(bitPattern: paragraph.id.sequence &- born))
      writer.write(varint: UInt64(paragraph.id.ordinal))
      born = paragraph.id.sequence
    }
    return writer.bytes
  }

  package static func decode(_ bytes: [UInt8]) throws(CodecError) -> TextState {
    try ByteReader.reading(bytes) { (reader: inout ByteReader) throws(CodecError) -> TextState in
      try decode(&reader)
    }
  }

  private static func decode(_ reader: inout ByteReader) throws(CodecError) -> TextState {
    let sequence = try reader.readVarint()
    // A unit takes at least one byte.
    let length = try reader.readCount(max: reader.remaining)
    let text = try WTF8.decodeText(length, from: &reader)
    let runs = try decodeRuns(&reader)
    let paragraphs = StoredParagraphs(count: try reader.readCount(max: reader.remaining), reader)
    let state: TextState
    do throws(TextStateError) {
      state = try TextState(
        sequence: sequence, text: text, attributeRuns: runs, paragraphs: paragraphs)
    } catch {
      throw paragraphs.failure ?? paragraphs.reader.error(.mismatch)
    }
    reader = paragraphs.reader
    try reader.expectEnd()
    return state
  }

  /// Appends the text, leaf by leaf of the tree.
  private static func encodeText(of state: TextState, to writer: inout ByteWriter) {
    // The first half of a surrogate pair, if a leaf ended with it.
    var held: UInt16?
    state.withChunks(in: UTF16Range(0..<state.length)) { chunk in
      guard let last = chunk.last else { return }
      let isCut = UTF16.isLeadSurrogate(last)
      if let high = held {
        ([high] + chunk.dropLast(isCut ? 1 : 0)).withUnsafeBufferPointer {
          WTF8.encode($0, to: &writer)
        }
      } else {
        WTF8.encode(chunk.extracting(..<(chunk.count - (isCut ? 1 : 0))), to: &writer)
      }
      held = isCut ? last : nil
    }
    if let held {
      withUnsafePointer(to: held) { WTF8.encode(.init(start: $0, count: 1), to: &writer) }
    }
  }

  private static func encodeRuns(_ runs: [AttributeRun], to writer: inout ByteWriter) {
    var numbers: [AttributeSet: Int] = [:]
    var sets: [AttributeSet] = []
    for run in runs where numbers[run.attributes] == nil {
      numbers[run.attributes] = sets.count
      sets.append(run.attributes)
    }
    writer.write(varint: UInt64(sets.count))
    for set in sets { AttributeCodec.encode(set, to: &writer) }
    writer.write(varint: UInt64(runs.count))
    for run in runs {
      writer.write(varint: UInt64(run.length))
      writer.write(varint: UInt64(numbers[run.attributes] ?? 0))
    }
  }

  private static func decodeRuns(_ reader: inout ByteReader) throws(CodecError) -> [AttributeRun] {
    var sets: [AttributeSet] = []
    // An encoded set or run takes at least one byte, so a count above the remaining bytes is
    // forged.
    for _ in 0..<(try reader.readCount(max: reader.remaining)) {
      sets.append(try AttributeCodec.decodeSet(&reader))
    }
    var runs: [AttributeRun] = []
    for _ in 0..<(try reader.readCount(max: reader.remaining)) {
      let length = try reader.readCount(max: EditAction.textLengthMax)
      let number = try reader.readCount(max: sets.count - 1)
      runs.append(AttributeRun(length: length, attributes: sets[number]))
    }
    return runs
  }
}

/// The paragraphs of a stored state. They are decoded while they are read, so that they are in memory
/// once only. A walk ends early if one cannot be read.
private final class StoredParagraphs: Sequence, IteratorProtocol {
  private(set) var reader: ByteReader
  private(set) var failure: CodecError?
  private var rest: Int
  private var (born, location) = (SequenceNumber(0), 0)

  init(count: Int, _ reader: ByteReader) { (rest, self.reader) = (count, reader) }

  func next() -> ParagraphDescriptor? {
    guard rest > 0, failure == nil else { return nil }
    rest -= 1
    do throws(CodecError) { return try read() } catch {
      failure = error
      return nil
    }
  }

  private func read() throws(CodecError) -> ParagraphDescriptor {
    let length = try reader.readCount(max: EditAction.textLengthMax)
    born &+= UInt64(bitPattern: try reader.readZigzag())
    let ordinal = UInt32(try reader.readCount(max: Int(UInt32.max)))
    guard let range = UTF16Range(location: location, length: length) else {
      throw reader.error(.tooLarge)
    }
    location = range.upperBound
    return ParagraphDescriptor(id: ParagraphID(sequence: born, ordinal: ordinal), range: range)
  }
}
