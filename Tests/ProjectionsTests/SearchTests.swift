import EditModel
import TestSupport
import Testing
import TextState

@testable import Projections

/// A history of few different characters, and a search with its oracle.
private struct SearchCase {
  var random: SplitMix64
  var runner: ProjectionRunner
  var oracle: SearchOracle
  var alphabet: [[UInt16]]
  private var caret = 0
  /// The texts of all versions.
  private var texts = [UTF16Text()]

  init(
    seed: UInt64, _ pattern: SearchPattern, _ oracle: SearchOracle, alphabet: [[UInt16]],
    keeping choice: TextMatches.Choice = TextMatches.Choice(),
    stateCountMax: Int = MatchAutomaton.stateCountMax
  ) {
    random = SplitMix64(seed: seed)
    runner = ProjectionRunner([
      TextMatches(of: pattern, keeping: choice, stateCountMax: stateCountMax)
    ])
    (self.oracle, self.alphabet) = (oracle, alphabet)
  }

  mutating func apply(_ action: EditAction) throws {
    let sequence = runner.state.sequence + 1
    try runner.apply(Edit(sequence: sequence, action: action))
    oracle.apply(action, runner.state)
    texts.append(runner.state.text)
  }

  mutating func edit() throws {
    let length = runner.state.length
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      caret = Int.random(in: 0...length, using: &random)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let units = random.pick(alphabet)
        try apply(replace(caret, 0, UTF16Text(units: units)))
        caret += units.count
      }
    case 1:
      caret = Int.random(in: 0...length, using: &random)
      for _ in 0..<Int.random(in: 1...4, using: &random) where caret > 0 {
        caret -= 1
        try apply(replace(caret, 1, ""))
      }
    case 2:
      let range = random.range(in: length)
      let text = runner.state.text(in: range)
      // Replaced by the same text; taken away and put back, as by an undo; moved.
      if Bool.random(using: &random) {
        try apply(replace(range.location, range.length, text))
      } else {
        try apply(replace(range.location, range.length, ""))
        let place = Bool.random(using: &random) ? range.location : 0
        try apply(replace(place, 0, text))
      }
    default:
      var range = random.range(in: length)
      if length > 60 { range = UTF16Range(range.location..<length) }
      let units = (0..<Int.random(in: 0...5, using: &random)).flatMap { _ in random.pick(alphabet) }
      try apply(replace(range.location, range.length, UTF16Text(units: units)))
    }
  }

  func check(_ comment: Comment) {
    guard let matches = runner[TextMatches.self]?.found(in: runner.state) else {
      Issue.record("the search was not folded")
      return
    }
    let expected = oracle.matches
    #expect(matches.map(\.text.units) == expected.map(\.text), comment)
    #expect(matches.map(\.location) == expected.map(\.location), comment)
    #expect(matches.map(\.paragraph) == expected.map(\.paragraph), comment)
    #expect(matches.map(\.appeared.sequence) == expected.map(\.appeared), comment)
    #expect(matches.map(\.vanished?.sequence) == expected.map(\.vanished), comment)
    for match in matches {
      let range = match.contextLocation..<match.contextLocation + match.text.count
      #expect(Array(match.context.units[range]) == match.text.units, comment)
      #expect((match.last == nil) == (match.vanished == nil), comment)
      if let last = match.last, let vanished = match.vanished {
        let units = texts[Int(vanished.sequence) - 1].units
        let end = last.location + match.text.count
        #expect(Array(units[last.location..<end]) == match.text.units, comment)
        let from = last.location - last.contextLocation
        let line = units[from..<from + last.context.count]
        #expect(Array(line) == last.context.units, comment)
        #expect(from == 0 || units[from - 1].endsLine, comment)
        #expect(line.endIndex == units.count || units[line.endIndex].endsLine, comment)
      }
      if let location = match.livingLocation {
        let found = runner.state.text(in: UTF16Range(location..<location + match.text.count))
        #expect(found == match.text, comment)
      }
    }
  }

  mutating func run(_ count: Int, _ comment: Comment) throws {
    for step in 0..<count {
      try edit()
      if step % 10 == 9 { check(comment) }
    }
    check(comment)
  }
}

private let few: [[UInt16]] = [[0x61], [0x61], [0x61], [0x62], [0x0A]]
private let many: [[UInt16]] = [
  [0x61], [0x62], [0x41], [0x20], [0x31], [0xE9], [0xC9], [0x0A], [0x0D], [0x0D, 0x0A], [0x2029],
  Array("😀".utf16), [0xD83D], [0xDE00], [0x5F], [0x2E],
]

@Suite struct SearchTests {
  @Test("a string is found as by the oracle", arguments: seeds(150))
  func fixed(seed: UInt64) throws {
    let patterns = ["a", "aa", "aba", "aab", "abab", "a\na", "aaaa", "b"]
    let pattern = patterns[Int(seed % UInt64(patterns.count))]
    var test = SearchCase(
      seed: seed, try SearchPattern(pattern, isFixed: true),
      SearchOracle(SearchOracle.fixed(Array(pattern.utf16))), alphabet: few)
    try test.run(60, "seed \(seed), \(pattern)")
  }

  @Test("a string with surrogate pairs is found as by the oracle", arguments: seeds(60))
  func fixedPairs(seed: UInt64) throws {
    let patterns = ["😀", "é😀", "😀😀", "a\r\na"]
    let pattern = patterns[Int(seed % UInt64(patterns.count))]
    var test = SearchCase(
      seed: seed, try SearchPattern(pattern, isFixed: true),
      SearchOracle(SearchOracle.fixed(Array(pattern.utf16))), alphabet: many)
    try test.run(60, "seed \(seed), \(pattern)")
  }

  /// A letter beyond the Basic Multilingual Plane is two units, which have no case.
  @Test(
    "case is ignored in a string, but not beyond the Basic Multilingual Plane",
    arguments: [
      ("É", "éÉ", 2), ("ss", "ßSs", 1), ("K", "k\u{212A}K", 3), ("𐐀", "𐐀𐐨", 1), ("a𐐨", "A𐐨A𐐀", 1),
    ])
  func fixedCase(pattern: String, text: String, count: Int) throws {
    let search = try SearchPattern(pattern, isFixed: true, ignoresCase: true)
    var runner = ProjectionRunner([TextMatches(of: search)])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, UTF16Text(text))))
    #expect(runner[TextMatches.self]?.found(in: runner.state).count == count)
  }

  private static let expressions = [
    "a", "ab", "a+", "a*b", "(a|b)+?", "^a", "b$", "^$", "a.b", #"\w+"#, #"\bb"#, #"\b\w+\b"#,
    "[^a]+", "(a+)+b", "(?:ab|a)(?:ba|b)?", #"\s"#, #"\d|é"#, "a{2}", "a{1,3}?b", "(?i)AB", "😀.",
    "a|ab|abc", "(a*)*", "(?:a?){3}b", ".*", ".+?", #"\W\B"#, "[a-b😀]{2,}", "(|a)+b",
    #"\p{Uppercase}\p{Alphabetic}"#, #"[\p{Alphabetic}&&[^a]]+"#, #"[\P{Lowercase}&&[^é]]b"#,
    "a.*b|a",
    "(?:a.*){2}b|aa|a", "(a*|b)*1|a",
  ]

  private static func hasWord(_ pattern: String) -> Bool {
    ["\\w", "\\W", "\\b", "\\B"].contains { pattern.contains($0) }
  }

  @Test("a regular expression is found as by Swift's Regex", arguments: seeds(350))
  func regex(seed: UInt64) throws {
    let pattern = Self.expressions[Int(seed % UInt64(Self.expressions.count))]
    let ignoresCase = seed % 3 == 0
    var random = SplitMix64(seed: seed)
    var test = SearchCase(
      seed: seed, try SearchPattern(pattern, isFixed: false, ignoresCase: ignoresCase),
      SearchOracle(try SearchOracle.lines(pattern, ignoresCase: ignoresCase)),
      // `Regex` takes digits and _ for word characters, but not after a character beyond ASCII.
      alphabet: seed % 2 == 0
        ? many.filter { !([[0x31], [0x5F]].contains($0) && Self.hasWord(pattern)) } : few,
      // With few states, paragraphs are searched as a whole from some edit on.
      stateCountMax: seed % 5 == 4
        ? Int.random(in: 1...6, using: &random) : MatchAutomaton.stateCountMax)
    try test.run(40, "seed \(seed), \(pattern)")
  }

  /// Long lines have many blocks, and edits in them change what can match far before them.
  @Test("matches in long lines are those of a search of the whole line", arguments: seeds(60))
  func longLines(seed: UInt64) throws {
    let patterns = [
      "a.*b|c", "ab|a[^b]*$", #"\bab*"#, "(a|b){3}c", "ca+", ".{5}c", "^a.*c|b+", "😀a|b.*1", "b*?c",
    ]
    let pattern = try SearchPattern(patterns[Int(seed % 9)], isFixed: false)
    var random = SplitMix64(seed: seed)
    // One is searched by blocks, the other by paragraphs.
    var runner = ProjectionRunner([TextMatches(of: pattern)])
    var other = ProjectionRunner([TextMatches(of: pattern, stateCountMax: 1)])
    let alphabet = ["a", "a", "a", "b", "a", "😀", "a ", "c", "\n", "1"].map { UTF16Text($0).units }
    for number in 1...120 {
      let length = runner.state.length
      let location = Int.random(in: 0...length, using: &random)
      let removed =
        Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 0...300, using: &random) : 1
      let count =
        Int.random(in: 0...4, using: &random) == 0 ? 400 : Int.random(in: 0...2, using: &random)
      let rare = Int.random(in: 2...alphabet.count, using: &random)
      let units = (0..<count).flatMap { _ in alphabet[Int.random(in: 0..<rare, using: &random)] }
      let edit = Edit(
        sequence: SequenceNumber(number),
        action: replace(location, min(removed, length - location), UTF16Text(units: units)))
      try runner.apply(edit)
      try other.apply(edit)
      let found = runner[TextMatches.self]?.found(in: runner.state)
      let expected = other[TextMatches.self]?.found(in: other.state)
      try #require(found == expected, "seed \(seed), edit \(number)")
    }
  }

  /// The steps of twice as many edits are about twice as many, whatever the length of the paragraph.
  @Test(
    "a search costs as much as the edits, not as the line they are in",
    arguments: [
      "w(1|2)+3", #"\bw\d+\b"#, "x.*y", "[a-z]+", "(?i)W1", "^w|7", "w1|x.*$", "[^ ]{2}",
      "w(1|2)+$",
    ])
  func cost(pattern: String) throws {
    func steps(_ count: Int, at place: (Int) -> Int) throws -> Int {
      var runner = ProjectionRunner([TextMatches(of: try SearchPattern(pattern, isFixed: false))])
      for number in 1...count {
        try runner.apply(
          Edit(
            sequence: SequenceNumber(number),
            action: replace(place(runner.state.length), 0, UTF16Text("w\(number) "))))
      }
      return runner[TextMatches.self]?.steps ?? 0
    }
    for place in [{ _ in 0 }, { $0 }, { $0 / 2 }] as [(Int) -> Int] {
      let (some, twice) = (try steps(1_500, at: place), try steps(3_000, at: place))
      #expect(twice < some * 3, "\(some), \(twice)")
    }
  }

  @Test("conditions keep the matches that meet them", arguments: seeds(40))
  func choice(seed: UInt64) throws {
    let choice = TextMatches.Choice(
      isLiving: [nil, true, false][Int(seed % 3)],
      sequences: seed % 2 == 0 ? nil : 10...40)
    var test = SearchCase(
      seed: seed, try SearchPattern("a.", isFixed: false),
      SearchOracle(try SearchOracle.lines("a.")), alphabet: few, keeping: choice)
    for _ in 0..<40 { try test.edit() }
    let found = test.runner[TextMatches.self]?.found(in: test.runner.state) ?? []
    let expected = test.oracle.matches.filter { match in
      (choice.isLiving.map { $0 == (match.vanished == nil) } ?? true)
        && (choice.sequences.map { range in
          range.contains(match.appeared) || match.vanished.map(range.contains) ?? false
        } ?? true)
    }
    #expect(found.map(\.appeared.sequence) == expected.map(\.appeared), "seed \(seed)")
    #expect(found.map(\.location) == expected.map(\.location), "seed \(seed)")
  }
}

@Suite struct MatchFilterTests {
  /// What it says is only that there is no match, so one that always lets pass would be right too.
  @Test(
    "lines without a match are told apart",
    arguments: [
      ("l[a-z]*st", "a lot of rust", false), ("l[a-z]*st", "the last", true),
      ("^ab", "ab", true), ("^ab", "cab", false), ("^ab|bc", "abc", true), ("a*", "bbb", false),
      ("a*", "ba", true), ("(|a)+b", "aa", false), ("(?i)AB", "xaB", true),
      ("(?i)AB", "xAx", false),
      // Any place may be the end of a line or a word boundary, and any character é.
      ("a$", "ab", true), (#"\bb"#, "ab", true), ("xé", "xü", true), ("xé", "éx", false),
      ("😀.", "😀", false), ("😀.", "a😀b", true), ("a.b", "a😀b", true), ("a..b", "a😀b", false),
    ])
  func filter(pattern: String, line: String, mayMatch: Bool) throws {
    var parser = RegexParser(pattern, ignoresCase: false)
    var filter = MatchFilter(try RegexProgram(try parser.parse()))
    let units = Array(line.utf16)
    for _ in 0..<2 {
      let answer = units.withUnsafeBufferPointer {
        filter.mayMatch($0, at: 0..<$0.count)
      }
      #expect(answer == mayMatch, "\(pattern) in \(line)")
    }
  }

  @Test(
    "matches elsewhere in the line are told apart",
    arguments: [
      ("l[a-z]*st", "last night least", 5..<10, false),
      ("l[a-z]*st", "last night least", 9..<10, false),
      ("l[a-z]*st", "last night least", 11..<11, true),
      ("l[a-z]*st", "last night least", 4..<4, true),
      ("a.*b|c", "c xx c", 2..<4, false), ("a.*b|c", "a xx b", 2..<4, true),
      ("a.*b|c", "b xx a", 2..<4, false), ("😀.?", "a😀", 3..<3, true), ("a", "a😀", 3..<3, false),
    ])
  func elsewhere(pattern: String, line: String, range: Range<Int>, mayMatch: Bool) throws {
    var parser = RegexParser(pattern, ignoresCase: false)
    var filter = MatchFilter(try RegexProgram(try parser.parse()))
    let units = Array(line.utf16)
    let answer = units.withUnsafeBufferPointer {
      filter.mayMatch($0, at: range)
    }
    #expect(answer == mayMatch, "\(pattern) in \(line)")
  }

  /// Where the states are too many or too large, each line may hold a match.
  @Test(arguments: ["(a|b)*a(a|b){12}c", "(a{90}){200}", "((a|b|c){40}d){60}"])
  func `large expressions let pass what they match`(pattern: String) throws {
    var parser = RegexParser(pattern, ignoresCase: false)
    let program = try RegexProgram(try parser.parse())
    var (filter, random) = (MatchFilter(program), SplitMix64(seed: 13))
    for _ in 0..<200 {
      let count = Int.random(in: 0...60, using: &random)
      let line = (0..<count).map { _ in "abcd".utf16.randomElement(using: &random) ?? 0 }
      line.withUnsafeBufferPointer { line in
        var tested = LineMatcher(program)
        tested.beginLine(line)
        guard tested.next(in: line, from: 0, SearchBudget()) != nil else { return }
        let mayMatch = filter.mayMatch(line, at: 0..<line.count)
        #expect(mayMatch, "\(Array(line))")
      }
    }
  }
}

@Suite struct SearchPatternTests {
  @Test(
    "wrong patterns are refused with the place",
    arguments: [
      ("", "empty"), ("(", "without its )"), (")", "without its ("), ("[a", "without its ]"),
      ("*a", "nothing before"), ("a**", "cannot be repeated"), ("a{3,2}", "wrong order"),
      (#"a\"#, "nothing follows"), ("[b-a]", "wrong order"), (#"\1"#, "reference"),
      ("(?=a)", "look around"), ("(?<!a)b", "look around"), ("a++", "possessive"),
      ("(?>a)", "atomic"), (#"\p{Greek}"#, "property"), (#"\p{L"#, "without its }"),
      (#"\pL"#, "no {"), (#"a\nb"#, "line break"), ("a\rb", "line break"),
      (#"\Qa"# + "\n", "line break"),
      (#"\x{2029}"#, "line break"), (#"\N{SPACE}"#, "by its name"), (#"\q"#, "no escape"),
      ("a{9999}", "maximum"),
      (#"\x{110000}"#, "out of range"), ("(((a{500}){500}){500}){500}", "too large"),
      (String(repeating: "(", count: 2_000), "deep"),
      (String(repeating: "a", count: 5_000), "4096"),
    ])
  func refused(pattern: String, words: String) {
    let error = #expect(throws: SearchPatternError.self) {
      try SearchPattern(pattern, isFixed: false)
    }
    #expect(error?.description.contains(words) == true, "\(pattern): \(error?.description ?? "")")
  }

  @Test(arguments: [
    (
      #"\p{Greek}"#,
      """
      it names a Unicode property other than Alphabetic, Uppercase, Lowercase, Whitespace, Number, \
      Punctuation and Symbol (character 1)
      """
    ),
    ("[[:alpha:]]", "it has a POSIX class, which is not supported (character 2)"),
    (
      "(?=a)",
      "it has look around, which is not supported because it may take too long (character 1)"
    ),
  ])
  func `a refusal is one true sentence`(pattern: String, sentence: String) {
    let error = #expect(throws: SearchPatternError.self) {
      try SearchPattern(pattern, isFixed: false)
    }
    #expect(error?.description == sentence)
  }

  @Test(
    "patterns on which a backtracker takes exponential time end soon",
    arguments: ["(a+)+b", "(a|a)*b", "(a|aa)+$b", "(a*)*b", "(a?){40}a{40}b", "(.*)(.*)(.*)(.*)b"])
  func catastrophic(pattern: String) throws {
    var lines = LineMatcher(try RegexProgram(RegexTree(pattern)))
    let line = [UInt16](repeating: 0x61, count: 1_000)
    line.withUnsafeBufferPointer {
      let found = lines.matches(in: $0, SearchBudget())
      #expect(found.isEmpty)
    }
    #expect(lines.stepCount < 20_000_000)
  }

  /// Each match is one unit, and the way that fails before it goes to the end of the line.
  @Test("all matches of a line take linear time", arguments: ["a.*b|a", "(?:a.*)*b|a", "a+b|a|c"])
  func linear(pattern: String) throws {
    func steps(_ count: Int) throws -> Int {
      var lines = LineMatcher(try RegexProgram(RegexTree(pattern)))
      let line = [UInt16](repeating: 0x61, count: count)
      line.withUnsafeBufferPointer {
        let found = lines.matches(in: $0, SearchBudget())
        #expect(found.count == count)
      }
      return lines.stepCount
    }
    let (few, many) = (try steps(1_000), try steps(4_000))
    #expect(many < 5 * few, "\(few) steps, then \(many)")
  }

  /// Repetitions of nothing, which would be added 1,000^20 times.
  @Test("repetitions of nothing are read at once", arguments: ["()", "(?:)", "(?#x)()"])
  func emptyRepetitions(nothing: String) throws {
    var pattern = nothing + "{1000}"
    for _ in 0..<20 { pattern = "(" + pattern + "){1000}" }
    var lines = LineMatcher(try RegexProgram(RegexTree(pattern + "a")))
    let line: [UInt16] = [0x62, 0x61]
    line.withUnsafeBufferPointer {
      #expect(lines.matches(in: $0, SearchBudget()) == [1..<2])
    }
  }

  @Test("a search ends at its limits")
  func limits() throws {
    func failure(_ pattern: String, _ text: String, _ budget: SearchBudget) throws
      -> SearchBudget.Failure?
    {
      var runner = ProjectionRunner([
        TextMatches(of: try SearchPattern(pattern, isFixed: false), budget: budget)
      ])
      try runner.apply(Edit(sequence: 1, action: replace(0, 0, UTF16Text(text))))
      return budget.failure
    }
    let text = String(repeating: "a", count: 3_000)
    #expect(try failure("a", text, SearchBudget(matchCountMax: 10)) == .tooManyMatches(max: 10))
    #expect(try failure("a", text, SearchBudget(textLengthMax: 10)) == .tooMuchText(max: 10))
    #expect(try failure("a.*b|c", text, SearchBudget(stepCountMax: (1, 0))) == nil)
    let long = String(repeating: "a", count: 100_000) + "bc"
    #expect(
      try failure("(.*)*(.*)*(.*)*(.*)*b$", long, SearchBudget(stepCountMax: (1, 0)))
        == .tooManySteps)
    #expect(
      try failure("(.*)*(.*)*(.*)*(.*)*b$", long, SearchBudget { true }) == .cancelled)
  }
}

extension RegexTree {
  fileprivate init(_ text: String) throws {
    var parser = RegexParser(text, ignoresCase: false)
    self = try parser.parse()
  }
}

extension MatchFilter {
  /// True if a match may be at a range of a line.
  fileprivate mutating func mayMatch(
    _ line: UnsafeBufferPointer<UInt16>, at range: Range<Int>
  ) -> Bool {
    guard let start = start(isLineStart: true) else { return true }
    return pass(start, line, at: range) == nil
  }
}
