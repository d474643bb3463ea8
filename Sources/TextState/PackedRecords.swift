import EditModel

/// The packed form of the records of paragraphs that one edit inserted next to each other: their
/// identifiers are consecutive, and their labels equally far apart.
///
/// So a text that was inserted at once takes few bytes per paragraph, until edits come near:
/// 1, 2 or 4 for its length, and none for its identifier and its label.
private struct ConsecutiveRecords: BitwiseCopyable {
  private let sequence: SequenceNumber
  private let label: PlaceLabel
  /// From one label to the next.
  private let step: PlaceLabel
  private let ordinal: UInt32
  let count: UInt16
  /// The bytes of each length: 0 if the records have none.
  let width: UInt16

  /// The bytes before those of lengths.
  static var size: Int { MemoryLayout<Self>.size }
  /// Fewer records would not take fewer bytes.
  private static var countMin: Int { 4 }

  /// Nil if the records are not consecutive. O(records).
  init?<Record: LabelledRecord>(_ records: UnsafeBufferPointer<Record>, width: Int = 0) {
    guard records.count >= Self.countMin, let count = UInt16(exactly: records.count) else {
      return nil
    }
    let first = records[0]
    (sequence, ordinal, label) = (first.id.sequence, first.id.ordinal, first.label)
    step = records[1].label &- label
    (self.count, self.width) = (count, UInt16(width))
    for index in records.indices where !holds(records[index], at: UInt32(index)) { return nil }
  }

  private func holds(_ record: some LabelledRecord, at index: UInt32) -> Bool {
    record.id == id(index) && record.label == label(index)
  }

  init(_ bytes: UnsafeRawBufferPointer) { self = bytes.loadUnaligned(as: Self.self) }

  var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

  @inline(__always)
  func id(_ index: UInt32) -> ParagraphID {
    ParagraphID(sequence: sequence, ordinal: ordinal &+ index)
  }

  @inline(__always)
  func label(_ index: UInt32) -> PlaceLabel { label &+ step &* PlaceLabel(index) }
}

/// A record with the identifier and the label of a paragraph.
private protocol LabelledRecord {
  var id: ParagraphID { get }
  var label: PlaceLabel { get }
}

extension BirthRecord: LabelledRecord {
  static var isPackable: Bool { true }

  static func packed(_ elements: UnsafeBufferPointer<BirthRecord>) -> [UInt8]? {
    ConsecutiveRecords(elements)?.bytes
  }

  static func count(inPacked bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { Int(ConsecutiveRecords($0).count) }
  }

  static func element(_ index: Int, inPacked bytes: UnsafeRawBufferPointer) -> BirthRecord {
    let all = ConsecutiveRecords(bytes)
    return BirthRecord(id: all.id(UInt32(index)), label: all.label(UInt32(index)))
  }
}

extension ParagraphRecord: LabelledRecord {
  static var isPackable: Bool { true }

  static func packed(_ elements: UnsafeBufferPointer<ParagraphRecord>) -> [UInt8]? {
    var max: UInt32 = 0
    for element in elements { max |= element.lengthAndFlag }
    let width = max < 1 << 8 ? 1 : max < 1 << 16 ? 2 : 4
    guard let all = ConsecutiveRecords(elements, width: width) else { return nil }
    var bytes = all.bytes
    bytes.reserveCapacity(bytes.count + width * elements.count)
    for element in elements {
      withUnsafeBytes(of: element.lengthAndFlag.littleEndian) { bytes += $0.prefix(width) }
    }
    return bytes
  }

  static func count(inPacked bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { Int(ConsecutiveRecords($0).count) }
  }

  static func element(_ index: Int, inPacked bytes: UnsafeRawBufferPointer) -> ParagraphRecord {
    let all = ConsecutiveRecords(bytes)
    let offset = ConsecutiveRecords.size + index * Int(all.width)
    let lengthAndFlag =
      switch all.width {
      case 1: UInt32(bytes[offset])
      case 2: UInt32(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self).littleEndian)
      default: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
      }
    return ParagraphRecord(
      id: all.id(UInt32(index)), lengthAndFlag: lengthAndFlag, label: all.label(UInt32(index)))
  }
}
