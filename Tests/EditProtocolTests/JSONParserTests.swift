import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct JSONParserTests {
  /// Texts that are JSON, each with the one line it is written as.
  @Test(arguments: [
    ("null", "null"), (" true\n", "true"), ("\t[ ]\r\n", "[]"), ("{ }", "{}"), ("0", "0"),
    ("-0", "0"), ("-1", "-1"), ("123456789012345678", "123456789012345678"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"), ("1.0", "1.0"), ("1e2", "100.0"),
    ("-0.0", "-0.0"), ("0e0", "0.0"), ("1E+2", "100.0"), ("5e-324", "5e-324"), ("1e-400", "0.0"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"), ("0.1", "0.1"), (#""""#, #""""#),
    (#""a\/b""#, #""a/b""#), (#""\"\\\b\f\n\r\t""#, #""\"\\\u0008\u000c\n\r\t""#),
    (#""\u0041\u00e9\u20AC""#, #""Aé€""#), (#""\ud83d\ude00""#, #""😀""#), (#""😀é""#, #""😀é""#),
    (#""\ud83d""#, #""\ud83d""#), (#""\ude00\ud83d""#, #""\ude00\ud83d""#),
    (#""é\ud83dx\n""#, #""é\ud83dx\n""#), (#""\ud83d\ud83d\ude00""#, #""\ud83d😀""#),
    (#""\u0000\u001f\u007f""#, "\"\\u0000\\u001f\u{7F}\""),
    (#""\u2028\ufeff\uffff""#, "\"\\u2028\u{FEFF}\u{FFFF}\""),
    ("[1,[2,[3]],{}]", "[1,[2,[3]],{}]"),
    (#"{"b":1,"a":{"c":[null]}}"#, #"{"b":1,"a":{"c":[null]}}"#),
    (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#), (#"{"":1,"\u0061":2,"a":3}"#, #"{"":1,"a":3}"#),
    // Two names for Unicode, one for a reader that normalises: kept apart here.
    ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
  ])
  func accepts(text: String, written: String) throws {
    let value = try JSON.parse(text)
    #expect(Array(value.description.utf8) == Array(written.utf8))
    #expect(try JSON.parse(value.serialized()) == value)
  }

  /// Texts that are not JSON, or not taken, each with the byte where that shows.
  @Test(arguments: [
    ("", 0), (" ", 1), ("nul", 3), ("nulx", 3), ("True", 0), ("NaN", 0), ("Infinity", 0),
    ("'a'", 0),
    ("1 2", 2), ("null,", 4), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1),
    ("[1 2]", 3),
    ("]", 0), ("[1}", 2), ("{", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7),
    (#"{"a" 1}"#, 5),
    ("{a:1}", 1), ("{1:2}", 1), (#"{"a":1 "b":2}"#, 7), ("01", 1), ("-01", 2), ("00", 1), ("-", 1),
    ("+1", 0), (".5", 0), ("1.", 2), ("1.e2", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("1_000", 1),
    ("--1", 1),
    ("9223372036854775808", 0), ("-9223372036854775809", 0), (" 18446744073709551616", 1),
    ("99999999999999999999999999", 0), ("1e400", 0), ("-1e400", 0), ("\"", 1), ("\"a", 2),
    (#""\"#, 2),
    (#""\x41""#, 1), (#""\u12""#, 5), (#""\u12G4""#, 5), ("\"a\nb\"", 2), ("\"a\u{1F}\"", 2),
    (#""\n"# + "\u{0}\"", 3), ("\u{FEFF}1", 0), ("// no\n1", 0), ("[1]x", 3), (#"{"\ud800":1}"#, 1),
  ])
  func refuses(text: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSON.parse(text) }
    #expect(error?.offset == offset, "\(text): \(error?.description ?? "")")
  }

  /// Bytes in strings that are not UTF-8: continuations without a start, starts without
  /// continuations, overlong forms, surrogates, values past Unicode.
  @Test(arguments: [
    [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
  ])
  func refusesWhatIsNotUTF8(bytes: [UInt8]) {
    for (before, after) in [(#""é"#, "\""), (#""\n"#, "\""), (#""\ud800é"#, "\""), ("\"", #"\n""#)]
    {
      let text = Array(before.utf8) + bytes + Array(after.utf8)
      let error = #expect(throws: JSONError.self) { try JSON.parse(text) }
      #expect(error == JSONError(.invalidUTF8, offset: before.utf8.count))
    }
  }

  @Test func messageNamesWhatWasExpected() {
    let error = #expect(throws: JSONError.self) { try JSON.parse(#"{"a":1 "b":2}"#) }
    #expect(error?.description == #"JSON, byte 7: expected ',' or '}', found '"'"#)
  }

  /// A pair may be cut in two between messages; each half arrives as it was.
  @Test func halvesOfAPairStayHalves() throws {
    let first = try JSON.parse(#"["\ud83d"]"#).asArray()[0].asText()
    let second = try JSON.parse(#"["\ude00"]"#).asArray()[0].asText()
    #expect(first.units == [0xD83D])
    #expect(second.units == [0xDE00])
    #expect(UTF16Text(units: first.units + second.units).description == "😀")
  }

  @Test func depthIsBounded() throws {
    let nested = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try JSON.parse(nested(64)).description == nested(64))
    let error = #expect(throws: JSONError.self) { try JSON.parse(nested(65)) }
    #expect(error == JSONError(.tooDeep(depthMax: 64), offset: 64))
    // A bomb ends where the limit is, not where it ends.
    let bomb = String(repeating: #"{"a":["#, count: 200_000)
    let bombError = #expect(throws: JSONError.self) { try JSON.parse(bomb) }
    #expect(bombError?.problem == .tooDeep(depthMax: 64))
    #expect(try JSON.parse(nested(96), limits: .message).description == nested(96))
  }

  @Test func valuesAreBounded() throws {
    let limits = JSON.Limits(valueCountMax: 4)
    #expect(try JSON.parse("[1,2,3]", limits: limits).description == "[1,2,3]")
    let error = #expect(throws: JSONError.self) { try JSON.parse("[1,2,3,4]", limits: limits) }
    #expect(error == JSONError(.tooManyValues(countMax: 4), offset: 7))
  }

  @Test func numbersAreBounded() throws {
    let digits = String(repeating: "7", count: 1_000)
    #expect(try JSON.parse("0." + digits) == .double(0.7777777777777778))
    #expect(throws: JSONError.self) { try JSON.parse("0." + digits + digits) }
    #expect(throws: JSONError.self) { try JSON.parse(digits + digits) }
    #expect(throws: JSONError.self) { try JSON.parse("1e" + digits) }
  }

  /// Names repeat: last wins, the place is the first's, however many members there are.
  @Test(arguments: [3, 63, 64, 65, 200, 3000])
  func ofEqualNamesTheLastCounts(count: Int) throws {
    let names = (0..<count).map { $0 % 2 == 0 ? "n\($0)" : "a name longer than a register \($0)" }
    let members = (names + names).enumerated().map { "\"\($0.element)\":\($0.offset)" }
    let object = try JSON.parse("{\(members.joined(separator: ","))}").asObject()
    #expect(object.members.map(\.name) == names)
    #expect(object.members.map(\.value) == (count..<2 * count).map { JSON($0) })
  }

  /// What is cut off anywhere is no JSON, and says so at its end.
  @Test func everyTruncationIsRefused() throws {
    let text =
      #"{"jsonrpc":"2.0","id":17,"method":"editlog/append","params":{"x":[true,false,null,-1.5e+10,"\ud83d\u00e9é\n"]}}"#
    let bytes = Array(text.utf8)
    #expect(throws: Never.self) { try JSON.parse(bytes) }
    for count in bytes.indices {
      #expect(throws: JSONError.self) { try JSON.parse(Array(bytes[..<count])) }
    }
  }

  @Test func integersPastInt64AreStringsOfDigits() throws {
    for value in [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max] {
      #expect(try JSON(value).asUnsigned() == value)
      #expect(try JSON.parse(JSON(value).serialized()).asUnsigned() == value)
    }
    for text in ["5", "09223372036854775808", "18446744073709551616", "-1", ""] {
      #expect(throws: ShapeError.self) { try JSON(text).asUnsigned() }
    }
  }
}

/// Random values and random damage. A failure names its seed.
@Suite struct JSONFuzzTests {
  @Test(arguments: UInt64(0)..<32)
  func valuesRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let value = JSON.random(depth: 5, using: &random)
      let bytes = value.serialized()
      #expect(try JSON.parse(bytes) == value)
      #expect(try JSON.parse(bytes).serialized() == bytes)
    }
  }

  /// Damaged texts are refused or read, never trapped over; what is read can be written and
  /// read again.
  @Test(arguments: UInt64(0)..<32)
  func damageIsHarmless(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var bytes = JSON.random(depth: 4, using: &random).serialized()
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(#"{}[]",:\u0e-."#.utf8.randomElement(using: &random) ?? 0, at: index)
        default: bytes.removeSubrange(index...)
        }
      }
      guard let value = try? JSON.parse(bytes) else { continue }
      #expect(try JSON.parse(value.serialized()) == value)
    }
  }

  /// Doubles read back with the same bits.
  @Test(arguments: UInt64(0)..<8)
  func doublesAreExact(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<1000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      #expect(try JSON.parse(JSON.double(double).serialized()) == .double(double))
    }
  }
}
