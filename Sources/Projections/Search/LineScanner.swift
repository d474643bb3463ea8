/// Finds the matches of several regular expressions in a line, one after the other.
///
/// At each place the first expression that matches there is taken, as if they were one expression
/// with `|` between them. So a scanner can divide a line into tokens. A whole line takes
/// O(branches · units) steps, whatever the expressions.
public struct LineScanner: Sendable {
  private var matcher: LineMatcher
  private let budget = SearchBudget()

  /// The maximum number of branches (`|`, `?`, `*` and the like) in all expressions of a scanner.
  public static let branchCountMax = 1_024

  /// The maximum length of a line in UTF-16 units, by the number of branches of expressions: all of them
  /// take about 2^23 steps at most. It is at least 16,384 units, and at most 131,072.
  ///
  /// - Parameter branchCount: The branches of one scanner, or of several that search the same line.
  public static func lineLengthMax(branchCount: Int) -> Int {
    min(1 << 17, max(1 << 14, (1 << 23) / max(1, branchCount)))
  }

  /// A scanner for these expressions, of which there is at least one.
  ///
  /// - Parameter patterns: The expressions in the syntax of `SearchPattern`, and whether letters match
  ///   their other case.
  /// - Throws: `LineScannerError`, with the index of the expression: if it is not one, can match without
  ///   a character, or is too large.
  public init(_ patterns: [(text: String, ignoresCase: Bool)]) throws(LineScannerError) {
    precondition(!patterns.isEmpty)
    var trees: [RegexTree] = []
    for (index, pattern) in patterns.enumerated() {
      do throws(SearchPatternError) {
        let count = pattern.text.utf16.count
        guard count > 0 else { throw SearchPatternError("it is empty") }
        guard count <= SearchPattern.lengthMax else {
          throw SearchPatternError(
            "it has \(count) UTF-16 units, and the maximum is \(SearchPattern.lengthMax)")
        }
        var parser = RegexParser(pattern.text, ignoresCase: pattern.ignoresCase)
        let tree = try parser.parse()
        guard !tree.canBeEmpty else {
          throw SearchPatternError("it can match without a character")
        }
        trees.append(tree)
      } catch { throw LineScannerError(index: index, problem: error) }
    }
    do throws(SearchPatternError) { matcher = try Self.matcher(trees) } catch {
      // The first expression with which they are too large.
      let index = trees.indices.first { (try? Self.matcher(Array(trees[...$0]))) == nil }
      throw LineScannerError(index: index ?? trees.count - 1, problem: error)
    }
  }

  private static func matcher(_ trees: [RegexTree]) throws(SearchPatternError) -> LineMatcher {
    let program = try RegexProgram(choices: trees)
    guard program.splitCount <= branchCountMax else {
      throw SearchPatternError(
        "it and the expressions before it have more than \(branchCountMax) branches")
    }
    return LineMatcher(program)
  }

  /// The number of branches. A line takes one bit of memory for each branch and unit.
  public var branchCount: Int { matcher.program.splitCount }

  /// The steps so far: the instructions that were run.
  public var stepCount: Int { matcher.stepCount }

  /// Prepares the search in a line.
  ///
  /// - Parameter line: The units, at most `lineLengthMax` of the scanner's branches.
  public mutating func begin(_ line: UnsafeBufferPointer<UInt16>) {
    precondition(line.count <= Self.lineLengthMax(branchCount: branchCount))
    matcher.beginLine(line)
  }

  /// The first match that begins at `start` or after it.
  ///
  /// - Parameters:
  ///   - line: The line that `begin` was called with.
  ///   - start: The offset from which on is searched, in UTF-16 units; at least the end of the match
  ///     found before.
  /// - Returns: The range of the match, in units of the line, and the index of its expression; nil if
  ///   there is none.
  public mutating func next(
    in line: UnsafeBufferPointer<UInt16>, from start: Int
  ) -> (range: Range<Int>, pattern: Int)? {
    matcher.next(in: line, from: start, budget).map { ($0.range, $0.choice) }
  }
}

/// What is wrong with an expression of a scanner.
public struct LineScannerError: Error, Hashable, Sendable {
  /// The index of the expression.
  public let index: Int
  /// The problem.
  public let problem: SearchPatternError
}
