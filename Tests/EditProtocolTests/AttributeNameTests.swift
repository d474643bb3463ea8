import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct AttributeNameTests {
  @Test func twoSpellingsAreTwoMembers() throws {
    let set: AttributeSet = ["é": .integer(1), "e\u{301}": .integer(2)]
    let text = set.json.serialized()
    #expect(text == Array("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
    #expect(try AttributeSet(json: JSON.parse(text)) == set)
    let value = AttributeValue.map(["m": .map(set)])
    #expect(try AttributeValue(json: JSON.parse(value.json.serialized())) == value)
    let change = AttributeChange.remove(["é", "e\u{301}"])
    #expect(try change.json.map { try AttributeChange(json: $0) } == change)
  }

  /// The members of an object may stand in any order.
  @Test func membersAreSorted() throws {
    let json = try JSON.parse(#"{"b":1,"\u00e9":2,"a":3,"e\u0301":4}"#)
    #expect(try AttributeSet(json: json).map(\.value) == [3, 1, 4, 2].map { .integer($0) })
  }

  /// A name starts with "$" where its first byte does, whatever character that belongs to.
  @Test func escapesGoByBytes() throws {
    let value = AttributeValue.map(["$\u{301}": .bool(true)])
    let text = value.json.serialized()
    #expect(text == Array("{\"$map\":{\"$\u{301}\":true}}".utf8))
    #expect(try AttributeValue(json: JSON.parse(text)) == value)
    #expect(throws: ShapeError.self) {
      try AttributeValue(json: JSON.parse("{\"$\u{301}\":true}"))
    }
  }

  @Test(arguments: [
    Double.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false),
  ])
  func everyNaNIsWrittenAlike(nan: Double) {
    #expect(AttributeValue.double(nan).json.serialized() == Array(#"{"$double":"nan"}"#.utf8))
  }

  @Test(arguments: ["nan", "-nan", "nan(0x7)", "snan"])
  func everyNaNIsReadAlike(text: String) throws {
    guard case .double(let value) = try AttributeValue(json: ["$double": JSON(text)]) else {
      Issue.record("\(text) is no double")
      return
    }
    #expect(value.bitPattern == Double.nan.bitPattern)
  }

  @Test(arguments: UInt64(0)..<50) func setsComeBack(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    for _ in 0..<20 {
      let set = generator.attributeSet()
      #expect(try AttributeSet(json: JSON.parse(set.json.serialized())) == set)
    }
  }
}
