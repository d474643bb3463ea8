import EditModel
import Projections
import TextState

/// Makes the attributes of paragraphs, by rules: a pure function of the paragraph's text and of the
/// state before it.
struct ParagraphStyler: Sendable {
  /// The attribute with the states before and after a paragraph; absent if both are the start state.
  static let stateAttribute = "syntax.state"

  let rules: StyleRules
  /// UTF-16 units at the start of a paragraph, without its terminator, that are styled.
  let lengthMax: Int
  private let names: Set<ExactString>
  private var reader: SyntaxReader?
  private var paragraphs: [StyleRules.Paragraph]
  private var patterns: [StyleRules.Pattern]
  private var line: [UInt16] = []

  init(_ rules: StyleRules) {
    (self.rules, lengthMax) = (rules, rules.styledLengthMax)
    names = Set(rules.attributeNames.map(ExactString.init))
    reader = rules.grammar.map { SyntaxReader($0) }
    (paragraphs, patterns) = (rules.paragraphs, rules.patterns)
  }

  /// True if paragraphs depend on those before them.
  var hasStates: Bool { rules.grammar.map { !$0.isStateless } ?? false }

  /// The attributes that the rules give a paragraph, as runs that cover it. Those of other names are not
  /// among them.
  ///
  /// - Parameters:
  ///   - paragraph: Its descriptor.
  ///   - text: The version.
  ///   - state: The state before it; then that after it.
  mutating func runs(
    of paragraph: ParagraphDescriptor, in text: TextState, _ state: inout SyntaxState
  ) -> [AttributeRun] {
    var marks: ParagraphMarks? = ParagraphMarks()
    let before = state
    let isCut = isTooLong(paragraph, text)
    read(paragraph, text)
    line.withUnsafeBufferPointer { line in
      reader?.read(line, &state, into: &marks)
      mark(
        line, &marks, hasTerminator: !isCut && line.count < paragraph.range.length, isCut: isCut)
    }
    // What the rest of it opens and closes is not known.
    if isCut { state = before }
    if let grammar = rules.grammar, before != SyntaxState() || state != SyntaxState() {
      marks?.replace(
        Self.stateAttribute, .string("\(grammar.text(of: before))>\(grammar.text(of: state))"))
    }
    return marks?.runs(length: paragraph.range.length) ?? []
  }

  /// Moves the state over a paragraph, without making attributes.
  mutating func skip(
    _ paragraph: ParagraphDescriptor, in text: TextState, _ state: inout SyntaxState
  ) {
    var marks: ParagraphMarks?
    guard reader != nil, !isTooLong(paragraph, text) else { return }
    read(paragraph, text)
    line.withUnsafeBufferPointer { reader?.read($0, &state, into: &marks) }
  }

  /// Reads the text of a paragraph, without its terminator, up to `lengthMax`.
  private mutating func read(_ paragraph: ParagraphDescriptor, _ text: TextState) {
    let content = text.contentRange(of: paragraph)
    line.removeAll(keepingCapacity: true)
    let end = content.location + min(content.length, lengthMax)
    text.appendUnits(in: UTF16Range(content.location..<end), to: &line)
    // Half of a pair would be another character.
    if end < content.upperBound, let last = line.last, UTF16.isLeadSurrogate(last) {
      line.removeLast()
    }
  }

  /// True if a paragraph is longer than `lengthMax`.
  func isTooLong(_ paragraph: ParagraphDescriptor, _ text: TextState) -> Bool {
    guard paragraph.range.length > lengthMax else { return false }
    return paragraph.range.length > lengthMax + 2
      || text.contentRange(of: paragraph).length > lengthMax
  }

  /// Marks what the rules find in a line. If the paragraph is longer, what ends with the line is left out: the
  /// paragraph may go on with it.
  private mutating func mark(
    _ line: UnsafeBufferPointer<UInt16>, _ marks: inout ParagraphMarks?, hasTerminator: Bool,
    isCut: Bool
  ) {
    for index in paragraphs.indices {
      paragraphs[index].scanner.begin(line)
      guard let match = paragraphs[index].scanner.next(in: line, from: 0),
        !isCut || match.range.upperBound < line.count
      else { continue }
      for (name, value) in paragraphs[index].attributes { marks?.replace(name, value) }
    }
    for index in patterns.indices {
      patterns[index].scanner.begin(line)
      var next = 0
      while let (range, _) = patterns[index].scanner.next(in: line, from: next) {
        next = range.upperBound
        if isCut, next == line.count { break }
        let text = String(units: UnsafeBufferPointer(rebasing: line[range]))
        marks?.mark(range, patterns[index].name, text)
      }
    }
    if let name = rules.linkAttribute {
      for link in URLFinder.links(in: line) {
        let end = link.range.upperBound
        if isCut, end == line.count { break }
        let wasTyped = end < line.count ? line[end] == 0x20 : hasTerminator
        if wasTyped || !rules.marksTypedLinksOnly { marks?.mark(link.range, name, link.address) }
      }
    }
  }

  // MARK: Versions

  /// The state before a paragraph and after it, as its attributes have them; nil if it has no units.
  func states(
    of paragraph: ParagraphDescriptor, in text: TextState
  ) -> (before: SyntaxState, after: SyntaxState)? {
    guard !paragraph.range.isEmpty, let grammar = rules.grammar else { return nil }
    let attributes = text.attributes(at: paragraph.range.location).attributes
    guard case .string(let both)? = attributes[Self.stateAttribute] else {
      return (SyntaxState(), SyntaxState())
    }
    let parts = both.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return (SyntaxState(), SyntaxState()) }
    return (grammar.state(of: parts[0]), grammar.state(of: parts[1]))
  }

  /// The action that gives a paragraph the attributes of the rules, and keeps those of other names; nil if
  /// it has them.
  ///
  /// - Parameters:
  ///   - paragraph: Its descriptor.
  ///   - text: The version.
  ///   - state: The state before it; then that after it.
  mutating func action(
    on paragraph: ParagraphDescriptor, in text: TextState, _ state: inout SyntaxState
  ) -> EditAction? {
    let wanted = runs(of: paragraph, in: text, &state)
    guard !paragraph.range.isEmpty else { return nil }
    let present = text.attributeRuns(in: paragraph.range)
    var others: [AttributeRun] = []
    others.reserveCapacity(present.count)
    for run in present {
      let own = run.attributes.contains { names.contains(ExactString($0.name)) }
      others.append(
        own
          ? AttributeRun(
            length: run.length,
            attributes: AttributeSet(
              run.attributes.filter { !names.contains(ExactString($0.name)) }))
          : run)
    }
    // Most text has no other attributes.
    let isPlain = others.count == 1 && others[0].attributes.isEmpty
    let styled = isPlain ? wanted : Self.merged(others, wanted)
    guard styled != present else { return nil }
    return try? EditAction(
      range: paragraph.range, replacement: nil, attributes: .set(styled))
  }

  /// Runs with the attributes of both lists, which cover the same units. Neighbours differ.
  private static func merged(_ left: [AttributeRun], _ right: [AttributeRun]) -> [AttributeRun] {
    var (result, leftIndex, rightIndex): ([AttributeRun], Int, Int) = ([], 0, 0)
    var (leftRest, rightRest) = (left.first?.length ?? 0, right.first?.length ?? 0)
    while leftIndex < left.count, rightIndex < right.count {
      let length = min(leftRest, rightRest)
      let attributes = left[leftIndex].attributes.merging(right[rightIndex].attributes)
      if result.last?.attributes == attributes {
        result[result.count - 1].length += length
      } else {
        result.append(AttributeRun(length: length, attributes: attributes))
      }
      (leftRest, rightRest) = (leftRest - length, rightRest - length)
      if leftRest == 0 {
        leftIndex += 1
        leftRest = leftIndex < left.count ? left[leftIndex].length : 0
      }
      if rightRest == 0 {
        rightIndex += 1
        rightRest = rightIndex < right.count ? right[rightIndex].length : 0
      }
    }
    return result
  }
}
