import EditModel
import Testing

@Suite struct AttributeValueTests {
  /// Values in groups: equal inside a group, different across groups.
  static let groups: [[AttributeValue]] = [
    [.bool(false), .bool(false)], [.bool(true)], [.integer(0)], [.integer(1), .integer(1)],
    [.double(0)], [.double(-0.0)], [.double(1)],
    [
      .double(.nan), .double(-.nan), .double(.signalingNaN),
      .double(Double(nan: 7, signaling: false)),
    ],
    [.double(.infinity)], [.string("")], [.string("é")], [.string("e\u{301}")],
    [.bytes([])], [.bytes([0])], [.list([])], [.list([.double(.nan)]), .list([.double(-.nan)])],
    [.list([.integer(1), .integer(2)])], [.list([.integer(2), .integer(1)])],
    [.map([:])],
    [.map(["a": .bool(true), "b": .double(.nan)]), .map(["b": .double(.nan), "a": .bool(true)])],
    [.map(["a": .bool(false)])],
    [.map(["é": .integer(1)])], [.map(["e\u{301}": .integer(1)])],
    [
      .map(["é": .integer(1), "e\u{301}": .integer(2)]),
      .map(["e\u{301}": .integer(2), "é": .integer(1)]),
    ],
  ]

  @Test func equalityIsByValue() {
    for (i, left) in Self.groups.enumerated() {
      for (j, right) in Self.groups.enumerated() {
        for a in left {
          for b in right {
            #expect((a == b) == (i == j), "\(a) and \(b)")
            if a == b { #expect(a.hashValue == b.hashValue) }
          }
        }
      }
    }
  }

  @Test func setsAreSortedByBytes() {
    let set: AttributeSet = [
      "b": .bool(true), "a": .integer(1), "é": .integer(2), "B": .integer(3),
    ]
    #expect(set.map(\.name) == ["B", "a", "b", "é"])
    #expect(set.merging(["a": .integer(9)])["a"] == .integer(9))
    #expect(set.removing(["a", "x"]).count == 3)
    #expect(AttributeSet.empty.isEmpty && !set.isEmpty)
  }
}
