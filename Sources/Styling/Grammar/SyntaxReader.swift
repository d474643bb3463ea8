import EditModel
import Projections

/// Divides paragraphs into tokens, by a grammar. It keeps nothing from one paragraph to the next but
/// memory; the state is the caller's.
struct SyntaxReader: Sendable {
  let grammar: Grammar
  private var scanners: [LineScanner?]
  private var ends: [LineScanner?]
  /// For each context the number of the last paragraph for which its scanner was prepared.
  private var begun: [Int]
  private var paragraph = 0

  /// The attribute of a token: its value is the style.
  static let attribute = "syntax"

  init(_ grammar: Grammar) {
    self.grammar = grammar
    scanners = grammar.contexts.map(\.scanner)
    ends = grammar.contexts.map(\.end)
    begun = Array(repeating: 0, count: scanners.count)
  }

  /// The steps of all expressions so far.
  var stepCount: Int { (scanners + ends).reduce(0) { $0 + ($1?.stepCount ?? 0) } }

  /// Reads a paragraph.
  ///
  /// - Parameters:
  ///   - line: Its units without the terminator, at most `LineScanner.lineLengthMax` of the
  ///     grammar's branches.
  ///   - state: The state at its start; then that at its end.
  ///   - marks: Gets what the tokens set; nil if only the state is wanted.
  mutating func read(
    _ line: UnsafeBufferPointer<UInt16>, _ state: inout SyntaxState,
    into marks: inout ParagraphMarks?
  ) {
    paragraph &+= 1
    for index in state.open { note(index, &marks) }
    note(0, &marks)
    var next = end(line, &state, &marks)
    while next < line.count {
      let current = state.open.last ?? 0
      // The context itself is not copied, because it has many references.
      let contextStyle = grammar.contexts[current].style
      guard let (range, pattern) = match(current, line, next) else {
        marks?.mark(next..<line.count, Self.attribute, contextStyle)
        break
      }
      marks?.mark(next..<range.lowerBound, Self.attribute, contextStyle)
      next = range.upperBound
      guard let rule = rule(current, pattern, line, range) else {
        marks?.mark(range, Self.attribute, contextStyle)
        continue
      }
      var style = rule.style ?? contextStyle
      if rule.pops, !state.open.isEmpty { state.open.removeLast() }
      if let push = rule.push, state.open.count < Grammar.depthMax - 1 {
        state.open.append(push)
        style = rule.style ?? grammar.contexts[push].style
        note(push, &marks)
      }
      var end = range.upperBound
      while end > range.lowerBound, rule.trimmedEnd.contains(line[end - 1]) { end -= 1 }
      marks?.mark(range.lowerBound..<end, Self.attribute, style)
      marks?.mark(end..<range.upperBound, Self.attribute, contextStyle)
      for name in rule.attributes { marks?.mark(range.lowerBound..<end, name, .bool(true)) }
      if let name = rule.paragraph {
        marks?.set(name, Self.value(rule.level, of: line[range]))
      }
    }
    while let last = state.open.last, grammar.contexts[last].endsWithParagraph {
      state.open.removeLast()
    }
  }

  /// Leaves the outermost context whose end the paragraph begins with. Returns the end of that, 0 if
  /// there is none.
  private mutating func end(
    _ line: UnsafeBufferPointer<UInt16>, _ state: inout SyntaxState, _ marks: inout ParagraphMarks?
  ) -> Int {
    guard !line.isEmpty else { return 0 }
    for (depth, index) in state.open.enumerated() where ends[index] != nil {
      ends[index]?.begin(line)
      guard let (range, _) = ends[index]?.next(in: line, from: 0), range.lowerBound == 0 else {
        continue
      }
      state.open.removeSubrange(depth...)
      let context = grammar.contexts[index]
      marks?.mark(range, Self.attribute, context.endStyle ?? context.style)
      return range.upperBound
    }
    return 0
  }

  private mutating func match(
    _ context: Int, _ line: UnsafeBufferPointer<UInt16>, _ start: Int
  ) -> (range: Range<Int>, pattern: Int)? {
    if begun[context] != paragraph {
      begun[context] = paragraph
      scanners[context]?.begin(line)
    }
    return scanners[context]?.next(in: line, from: start)
  }

  /// The rule that a token of a context follows; nil for a word that is in no list.
  private func rule(
    _ context: Int, _ pattern: Int, _ line: UnsafeBufferPointer<UInt16>, _ range: Range<Int>
  ) -> Grammar.Rule? {
    switch grammar.contexts[context].tokens[pattern] {
    case .rule(let number): grammar.contexts[context].rules[number]
    case .word(let words):
      words.rule(of: UnsafeBufferPointer(rebasing: line[range])).map {
        grammar.contexts[context].rules[$0]
      }
    }
  }

  /// The paragraph is one of the context.
  private func note(_ context: Int, _ marks: inout ParagraphMarks?) {
    guard let name = grammar.contexts[context].paragraph else { return }
    marks?.set(name, Self.value(grammar.contexts[context].value, of: EmptyCollection()))
  }

  private static func value(
    _ level: GrammarSource.Level, of token: some Collection<UInt16>
  ) -> AttributeValue {
    switch level {
    case .number(let number): return .integer(Int64(number))
    case .text(let text): return .string(text)
    case .count(let scalar):
      let count = String(decoding: token, as: UTF16.self).unicodeScalars
        .count { $0 == scalar }
      return .integer(Int64(max(1, count)))
    case .indent:
      var columns = 0
      for unit in token {
        if unit == 0x09 {
          columns += 4 - columns % 4
        } else if unit == 0x20 {
          columns += 1
        } else {
          break
        }
      }
      return .integer(Int64(1 + columns / 2))
    }
  }
}
