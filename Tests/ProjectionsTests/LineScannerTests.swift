import Projections
import TestSupport
import Testing

@Suite struct LineScannerTests {
  private static let expressions = [
    "a", "ab", "a+b", "a*b", "(a|b)+c", "a.b", "[^a]", "b{2,}", "c|ab?", "(?:ab|a)(?:ba|b)",
    "a.*?c", "(a+)+b", "c.*a", "(?:a.*)*b",
  ]

  /// At each place the first expression that matches there, tried one by one by Swift's Regex.
  @Test("tokens are those of the expressions tried one by one", arguments: seeds(200))
  func tokens(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let chosen = (0..<Int.random(in: 1...5, using: &random)).map { _ in
      Self.expressions[Int.random(in: 0..<Self.expressions.count, using: &random)]
    }
    var scanner = try LineScanner(chosen.map { ($0, false) })
    let oracle = try chosen.map { try Regex($0).matchingSemantics(.unicodeScalar) }
    for _ in 0..<10 {
      let line = String(
        (0..<Int.random(in: 0...14, using: &random)).map { _ in
          ["a", "a", "b", "c"][Int.random(in: 0..<4, using: &random)]
        }.joined())
      var expected: [String] = []
      var place = line.startIndex
      search: while place < line.endIndex {
        for (index, expression) in oracle.enumerated() {
          if let match = line[place...].prefixMatch(of: expression), !match.range.isEmpty {
            expected.append("\(index) \(line[match.range])")
            place = match.range.upperBound
            continue search
          }
        }
        place = line.index(after: place)
      }
      let units = Array(line.utf16)
      let found = units.withUnsafeBufferPointer { buffer -> [String] in
        var (found, next) = ([String](), 0)
        scanner.begin(buffer)
        while let (range, index) = scanner.next(in: buffer, from: next) {
          found.append("\(index) \(String(decoding: units[range], as: UTF16.self))")
          next = range.upperBound
        }
        return found
      }
      #expect(found == expected, "seed \(seed), \(chosen), \(line)")
    }
  }

  @Test(
    "expressions that cannot be used are refused with their index",
    arguments: [
      (["a", "b*"], 1, "without a character"), (["a|"], 0, "without a character"),
      (["^"], 0, "without a character"),
      (["a", "b", "("], 2, "without its )"), ([""], 0, "empty"),
      (["a{1000}", "(?:a?){900}b", "(?:a?){900}b"], 2, "branches"),
    ])
  func refused(patterns: [String], index: Int, words: String) {
    let error = #expect(throws: LineScannerError.self) {
      try LineScanner(patterns.map { ($0, false) })
    }
    #expect(error?.index == index)
    #expect(
      error?.problem.description.contains(words) == true, "\(error?.problem.description ?? "")")
  }
}
