import EditModel
import Projections
import TextState

/// Makes the attributes of paragraphs, by rules: a pure function of the paragraph's text and of the
/// state before it.
struct ParagraphStyler: Sendable {
  /// The attribute with the states before and after a paragraph; absent if both are the start state and the
  /// paragraph is not in a block of code of a known language.
  static let stateAttribute = "syntax.state"

  let rules: StyleRules
  /// UTF-16 units at the start of a paragraph, without its terminator, that are styled.
  private let lengthMax: Int
  /// The limit in a block of code, in UTF-16 units: the smallest limit of any grammar, so that it does not
  /// depend on the language.
  private let codeLengthMax: Int
  /// True if blocks of code are highlighted by language. This needs a text without a grammar of its own, and
  /// rules that derive none of `codeNames`.
  let stylesCode: Bool
  private let names: Set<ExactString>
  private var reader: SyntaxReader?
  private var codeReaders: [CodeLanguage: SyntaxReader] = [:]
  private var paragraphs: [StyleRules.Paragraph]
  private var patterns: [StyleRules.Pattern]
  private var line: [UInt16] = []

  init(_ rules: StyleRules) {
    (self.rules, lengthMax) = (rules, rules.styledLengthMax)
    let names = Set(rules.attributeNames.map(ExactString.init))
    self.names = names
    codeLengthMax = min(lengthMax, LineScanner.lineLengthMax(branchCount: .max))
    stylesCode =
      rules.grammar == nil
      && !Self.codeNames.contains { names.contains(ExactString($0)) }
    reader = rules.grammar.map { SyntaxReader($0) }
    (paragraphs, patterns) = (rules.paragraphs, rules.patterns)
  }

  /// The attributes that highlighting a block of code reads or derives.
  private static let codeNames = [
    CodeLanguage.attribute, SyntaxReader.attribute, stateAttribute,
  ]

  /// True if paragraphs depend on all those before them.
  var hasStates: Bool { rules.grammar.map { !$0.isStateless } ?? false }

  /// True if paragraphs depend on the one before them: by the grammar, or in a block of code.
  var readsPrevious: Bool { hasStates || stylesCode }

  // MARK: Blocks of code

  /// The language of the block of code around a paragraph. Nil without a block, if the language has no
  /// grammar, or if blocks are not highlighted. O(log n).
  private func language(of paragraph: ParagraphDescriptor, in text: TextState) -> CodeLanguage? {
    guard stylesCode, !paragraph.range.isEmpty else { return nil }
    return CodeLanguage(text.attributes(at: paragraph.range.location).attributes)
  }

  /// Resets the state if the next paragraph, of this language, begins or ends a block of code.
  private func enterBlock(_ language: CodeLanguage?, _ state: inout SyntaxState) {
    guard stylesCode, state.language != language else { return }
    state = SyntaxState()
    state.language = language
  }

  /// The state before a paragraph whose predecessor ended with `state`.
  func state(
    before paragraph: ParagraphDescriptor, in text: TextState, after state: SyntaxState
  ) -> SyntaxState {
    var state = state
    enterBlock(language(of: paragraph, in: text), &state)
    return state
  }

  /// The paragraph from which the block of code around a paragraph is read; the paragraph itself without a block.
  /// O(log n) per paragraph between the two.
  ///
  /// - Parameters:
  ///   - index: The index of the paragraph.
  ///   - text: The version.
  ///   - lengthMax: How far to search back, in UTF-16 units.
  ///   - countMax: How far to search back, in paragraphs.
  /// - Returns: The first paragraph of the block, or the last one searched if the block begins further back.
  func blockStart(
    of index: Int, in text: TextState, lengthMax: Int, countMax: Int
  ) -> (first: Int, isExact: Bool) {
    let paragraph = text.paragraph(at: index)
    guard let language = language(of: paragraph, in: text) else { return (index, true) }
    var first = index
    while first > 0 {
      let previous = text.paragraph(at: first - 1)
      guard self.language(of: previous, in: text) == language else { break }
      guard index - first < countMax,
        paragraph.range.location - previous.range.location <= lengthMax
      else { return (first, false) }
      first -= 1
    }
    return (first, true)
  }

  /// Divides the line into tokens, by the grammar of the text or of a block of code.
  private mutating func readTokens(
    _ line: UnsafeBufferPointer<UInt16>, _ language: CodeLanguage?, _ state: inout SyntaxState,
    into marks: inout ParagraphMarks?
  ) {
    guard let language else {
      reader?.read(line, &state, into: &marks)
      return
    }
    if codeReaders[language] == nil {
      codeReaders[language] = language.grammar.map { SyntaxReader($0) }
    }
    codeReaders[language]?.read(line, &state, into: &marks)
    // A heading inside a block of Markdown is not a heading of the document.
    marks?.keepOnly(SyntaxReader.attribute)
  }

  // MARK: Paragraphs

  /// The attributes that the rules give a paragraph, as runs that cover it. Those of other names are not
  /// among them.
  ///
  /// - Parameters:
  ///   - paragraph: Its descriptor.
  ///   - text: The version.
  ///   - language: The language of the block of code that it is in; nil if it is in none.
  ///   - state: The state before it; then that after it.
  private mutating func runs(
    of paragraph: ParagraphDescriptor, in text: TextState, _ language: CodeLanguage?,
    _ state: inout SyntaxState
  ) -> [AttributeRun] {
    var marks: ParagraphMarks? = ParagraphMarks()
    enterBlock(language, &state)
    let before = state
    let isCut = read(paragraph, text, language)
    line.withUnsafeBufferPointer { line in
      readTokens(line, language, &state, into: &marks)
      mark(
        line, &marks, hasTerminator: !isCut && line.count < paragraph.range.length, isCut: isCut)
    }
    // What the rest of it opens and closes is not known.
    if isCut { state = before }
    if let grammar = rules.grammar ?? language?.grammar,
      language != nil || !before.open.isEmpty || !state.open.isEmpty
    {
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
    let language = language(of: paragraph, in: text)
    enterBlock(language, &state)
    guard reader != nil || language != nil, !read(paragraph, text, language) else { return }
    line.withUnsafeBufferPointer { readTokens($0, language, &state, into: &marks) }
  }

  /// Reads the text of a paragraph into `line`, without its terminator and up to the styled length. Returns
  /// true if the paragraph is longer.
  private mutating func read(
    _ paragraph: ParagraphDescriptor, _ text: TextState, _ language: CodeLanguage?
  ) -> Bool {
    let content = text.contentRange(of: paragraph)
    line.removeAll(keepingCapacity: true)
    let end = content.location + min(content.length, styledLength(language))
    text.appendUnits(in: UTF16Range(content.location..<end), to: &line)
    guard end < content.upperBound else { return false }
    // Half of a pair would be another character.
    if let last = line.last, UTF16.isLeadSurrogate(last) { line.removeLast() }
    return true
  }

  private func styledLength(_ language: CodeLanguage?) -> Int {
    language == nil ? lengthMax : codeLengthMax
  }

  /// The styled length of a paragraph that is too long, in UTF-16 units. Nil if all of it is styled, or no rule
  /// applies to it. O(1) for short paragraphs, otherwise O(log n).
  func cutLength(of paragraph: ParagraphDescriptor, in text: TextState) -> Int? {
    guard paragraph.range.length > codeLengthMax else { return nil }
    let language = language(of: paragraph, in: text)
    let length = styledLength(language)
    guard !names.isEmpty || language != nil else { return nil }
    return text.contentRange(of: paragraph).length > length ? length : nil
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
    guard !paragraph.range.isEmpty else { return nil }
    let attributes = text.attributes(at: paragraph.range.location).attributes
    let language = stylesCode ? CodeLanguage(attributes) : nil
    var states = (before: SyntaxState(), after: SyntaxState())
    if let grammar = rules.grammar ?? language?.grammar,
      case .string(let both)? = attributes[Self.stateAttribute]
    {
      let parts = both.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { states = (grammar.state(of: parts[0]), grammar.state(of: parts[1])) }
    }
    (states.before.language, states.after.language) = (language, language)
    return states
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
    let present = text.attributeRuns(in: paragraph.range)
    let language = stylesCode ? present.first.flatMap { CodeLanguage($0.attributes) } : nil
    // A paragraph that left a block of code still has the attributes derived in it.
    let wasCode = stylesCode && present.contains { $0.attributes[Self.stateAttribute] != nil }
    if names.isEmpty, language == nil, !wasCode {
      enterBlock(nil, &state)
      return nil
    }
    let wanted = runs(of: paragraph, in: text, language, &state)
    guard !paragraph.range.isEmpty else { return nil }
    func isOwn(_ name: String) -> Bool {
      names.contains(ExactString(name))
        || (language != nil || wasCode)
          && (name.isExactly(SyntaxReader.attribute) || name.isExactly(Self.stateAttribute))
    }
    var others: [AttributeRun] = []
    others.reserveCapacity(present.count)
    for run in present {
      others.append(
        run.attributes.contains { isOwn($0.name) }
          ? AttributeRun(
            length: run.length,
            attributes: AttributeSet(run.attributes.filter { !isOwn($0.name) }))
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
