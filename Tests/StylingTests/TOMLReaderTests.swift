import Testing

@testable import Styling

extension TOMLTable {
  /// The table as text without places: keys in order.
  fileprivate var shown: String {
    "{" + entries.map { "\($0.key)=\($0.node.shown)" }.joined(separator: " ") + "}"
  }
}

extension TOMLNode {
  fileprivate var shown: String {
    switch value {
    case .string(let text): "'\(text)'"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bool(let isOn): "\(isOn)"
    case .array(let array): "[" + array.nodes.map(\.shown).joined(separator: " ") + "]"
    case .table(let table): table.shown
    }
  }
}

@Suite struct TOMLReaderTests {
  @Test(
    "what is TOML is read",
    arguments: [
      ("", "{}"), ("# only a comment", "{}"), ("a = 1 # one", "{a=1}"),
      ("a=1\r\nb=2\r\n", "{a=1 b=2}"),
      ("a = -1_000", "{a=-1000}"), ("a = +7", "{a=7}"),
      ("a = 0xFF_ff\nb = 0o17\nc = 0b101", "{a=65535 b=15 c=5}"),
      ("a = 1.5\nb = -2e3\nc = 6.5E-2", "{a=1.5 b=-2000.0 c=0.065}"),
      ("a = true\nb = false", "{a=true b=false}"),
      (#"a = "x\ty\u00e9\U0001F600""#, "{a='x\tyé😀'}"), (#"a = 'x\ty'"#, #"{a='x\ty'}"#),
      ("a = \"\"\"\nx\ny\"\"\"", "{a='x\ny'}"), ("a = '''\nx''y'''", "{a='x''y'}"),
      ("a = \"\"\"x\"\"\"\"\"", "{a='x\"\"'}"), ("a = \"\"\"x \\\n   y\"\"\"", "{a='x y'}"),
      ("a = \"\"", "{a=''}"), ("a = []", "{a=[]}"), ("a = [1, 2,]", "{a=[1 2]}"),
      ("a = [\n 1, # one\n 2\n]", "{a=[1 2]}"), ("a = [[1], ['x']]", "{a=[[1] ['x']]}"),
      ("a = {b = 1, c.d = 2}", "{a={b=1 c={d=2}}}"), ("a = {}", "{a={}}"),
      ("a.b.c = 1\na.b.d = 2", "{a={b={c=1 d=2}}}"), (#""a.b" = 1"#, "{a.b=1}"), ("'' = 1", "{=1}"),
      ("[a]\nb = 1\n[c]\nd = 2", "{a={b=1} c={d=2}}"),
      ("[a.b]\nc = 1\n[a]\nd = 2", "{a={b={c=1} d=2}}"),
      ("[ a . 'b' ]\nc = 1", "{a={b={c=1}}}"), ("[[a]]\nb = 1\n[[a]]\nb = 2", "{a=[{b=1} {b=2}]}"),
      ("[[a]]\n[a.b]\nc = 1\n[[a]]\n[[a.d]]\n[[a.d]]", "{a=[{b={c=1}} {d=[{} {}]}]}"),
      ("1 = 2\n-_ = 3", "{1=2 -_=3}"),
    ])
  func valid(text: String, shown: String) throws {
    #expect(try TOMLReader.table(of: text).shown == shown)
  }

  @Test(
    "what is not TOML is refused at its place",
    arguments: [
      ("a", 1, 2, "= and a value"), ("a =", 1, 4, "a value is expected"),
      ("a = 1 b = 2", 1, 7, "only a comment"),
      ("a = 1\na = 2", 2, 1, "already, on line 1"), ("[a]\n[a]", 2, 2, "already"),
      ("[a", 1, 3, "must end with ]"),
      ("[[a]", 1, 5, "must end with ]]"), ("[]", 1, 2, "a key is expected"),
      ("a..b = 1", 1, 3, "a key is expected"),
      ("a = {b = 1}\na.c = 2", 2, 1, "already"), ("a = [1]\n[[a]]", 2, 3, "already"),
      ("[[a]]\n[a]", 2, 2, "already"),
      ("a.b = 1\n[a]", 2, 2, "already"), ("a = {b.c = 1}\n[a.b.d]", 2, 2, "already"),
      ("a = \"x", 1, 5, "no end"),
      ("a = \"x\ny\"", 1, 5, "no end"), ("a = '''x", 1, 5, "no end"),
      (#"a = "\q""#, 1, 6, "no escape"),
      (#"a = "\u12""#, 1, 6, "4 hexadecimal"), (#"a = "\uD800""#, 1, 6, "not the number"),
      ("a = 1979-05-27", 1, 5, "dates are not used"), ("a = 01", 1, 5, "not a value"),
      ("a = 1__0", 1, 5, "not a value"),
      ("a = .5", 1, 5, "not a value"), ("a = 1.", 1, 5, "not a value"),
      ("a = inf", 1, 5, "not a value"),
      ("a = 9223372036854775808", 1, 5, "not a value"), ("a = [1 2]", 1, 8, "a comma or ]"),
      ("a = [1", 1, 7, "a comma or ]"),
      ("a = {b = 1,\nc = 2}", 1, 12, "a key is expected"), ("a = {b = 1", 1, 11, "on one line"),
      ("a = 1\u{7}", 1, 6, "only a comment"), ("# \u{7}", 1, 3, "control character"),
      ("a = \"\u{0}\"", 1, 6, "control character"),
      ("\n\n  é = 1", 3, 3, "a key is expected"),
    ])
  func invalid(text: String, line: Int, column: Int, words: String) {
    let error = #expect(throws: RulesError.self) { try TOMLReader.table(of: text) }
    #expect(error?.place == TextPlace(line: line, column: column), "\(text)")
    #expect(error?.problem.contains(words) == true, "\(text): \(error?.problem ?? "")")
  }

  @Test("depth and size are bounded")
  func bounds() {
    let deep = String(repeating: "[", count: 10_000)
    #expect(throws: RulesError.self) { try TOMLReader.table(of: "a = " + deep) }
    #expect(throws: RulesError.self) {
      try TOMLReader.table(of: "a = " + String(repeating: "{a = ", count: 10_000))
    }
    #expect(throws: RulesError.self) {
      try TOMLReader.table(of: String(repeating: "a.", count: 10_000) + "a = 1")
    }
    #expect(throws: RulesError.self) {
      try TOMLReader.table(of: String(repeating: "#", count: TOMLReader.sizeMax + 1))
    }
  }
}
