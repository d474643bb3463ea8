import EditModel
import Projections
import TestSupport
import Testing

/// Values as bytes, and bytes that are no value.
@Suite struct StoredValueTests {
  private func roundTrip<Value: StoredValue & Equatable>(_ value: Value) throws {
    #expect(try Value(storedBytes: value.storedBytes) == value)
  }

  @Test func everyValueComesBack() throws {
    for number in [0, 1, -1, 63, 64, -65, .min, .max] {
      try roundTrip(number)
      try roundTrip(Int64(number))
      try roundTrip(UInt64(bitPattern: Int64(number)))
    }
    try roundTrip(UInt32.max)
    try roundTrip([true, false])
    try roundTrip(["a", "b", "a", ""])
    try roundTrip(["b": [1, 2], "a": []])
    try roundTrip([nil, 7] as [Int?])
    try roundTrip(SequenceNumber(3)...9)
    try roundTrip(UTF16Text(units: [0x61, 0xD800, 0x0A, 0xDC00]))
    try roundTrip(UTF16Text(String(repeating: "long ", count: 9_000)))
    try roundTrip(UTF16Range(4..<9))
    try roundTrip(Timestamp(nanoseconds: -5))
    try roundTrip(Origin.allCases)
    try roundTrip(ParagraphID(sequence: 12, ordinal: 3))
    try roundTrip(try #require(SessionID("run")))
  }

  /// Strings that look alike are two strings.
  @Test func stringsAreExact() throws {
    let strings = ["é", "e\u{301}", "é"]
    let read = try [String](storedBytes: strings.storedBytes)
    #expect(read.map { Array($0.utf8) } == strings.map { Array($0.utf8) })
  }

  /// A dictionary has the same bytes however it was made.
  @Test func dictionariesHaveOneForm() {
    var (left, right) = ([String: Int](), [String: Int]())
    for number in 0..<100 { left["\(number)"] = number }
    for number in (0..<100).reversed() { right["\(number)"] = number }
    #expect(left.storedBytes == right.storedBytes)
  }

  @Test func otherBytesAreRefused() {
    #expect(throws: StoredValueError.self) { try Bool(storedBytes: [2]) }
    #expect(throws: StoredValueError.self) { try Int(storedBytes: []) }
    #expect(throws: StoredValueError.self) { try Int(storedBytes: [0, 0]) }
    // More elements than bytes.
    #expect(throws: StoredValueError.self) {
      try [Int](storedBytes: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
    }
    // A string that was not written before.
    #expect(throws: StoredValueError.self) { try String(storedBytes: [1]) }
    // A range that ends before it begins, and one that overflows.
    #expect(throws: StoredValueError.self) {
      try ClosedRange<SequenceNumber>(storedBytes: [9, 3])
    }
    #expect(throws: StoredValueError.self) {
      try UTF16Range(storedBytes: Int.max.storedBytes + Int.max.storedBytes)
    }
    // Keys that do not ascend.
    #expect(throws: StoredValueError.self) { try [Int: Int](storedBytes: [2, 4, 0, 2, 0]) }
    #expect(throws: StoredValueError.self) { try Origin(storedBytes: [99]) }
    #expect(throws: StoredValueError.self) { try UTF16Text(storedBytes: [5, 0x61]) }
  }
}
