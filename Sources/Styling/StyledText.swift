import EditModel
public import TextState

/// A part of a version with the attributes that rules derive, for a program that shows that part only.
public struct StyledText: Sendable {
  /// The version. Its paragraphs of `paragraphs` have the derived attributes, others have not.
  public private(set) var state: TextState
  /// The styled paragraphs, by index.
  public let paragraphs: Range<Int>
  /// False if the text before the paragraphs was not read from its start, so that a comment or a fence
  /// that is open at their start may not be known.
  public private(set) var isExact = true
  /// The number of paragraphs that are too long to be styled as a whole: only their start has derived attributes.
  public private(set) var tooLongCount = 0
  /// The length of that start in UTF-16 units: `StyleRules.styledLengthMax`, or less in a block of code. Nil if
  /// no paragraph is too long.
  public private(set) var styledLength: Int?
  private var isCancelled = false

  /// Styles paragraphs of a version.
  ///
  /// O(text and runs of these paragraphs), and O(text before them) if the grammar has contexts that go
  /// over several paragraphs, or if the first paragraph is inside a block of code.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - paragraphs: The paragraphs, by index; nil for all. What the version does not have is left out.
  ///   - rules: The rules.
  public init(_ state: TextState, paragraphs: Range<Int>? = nil, by rules: StyleRules) {
    var places = SyntaxPlaces()
    self.init(state, paragraphs, rules, &places, lengthBeforeMax: .max) { false }
  }

  /// As `init(_:paragraphs:by:)`, with bounded work. Nil if it is cancelled.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - paragraphs: The paragraphs, by index; nil for all. What the version does not have is left out.
  ///   - rules: The rules.
  ///   - places: What the grammar of these rules knows of this version. What is found is added.
  ///   - lengthBeforeMax: How much text before the paragraphs is read, in UTF-16 units. If that is not
  ///     enough to know the state, as much text before the paragraphs is read again, and no comment
  ///     and no fence is taken to be open at its start. `isExact` is then false. Unless it is `.max`, at most
  ///     16,384 units and 1,024 paragraphs of a block of code are read before the paragraphs.
  ///   - isCancelled: Asked before each paragraph.
  public init?(
    _ state: TextState, paragraphs: Range<Int>? = nil, by rules: StyleRules,
    _ places: inout SyntaxPlaces, lengthBeforeMax: Int, isCancelled: () -> Bool
  ) {
    self.init(
      state, paragraphs, rules, &places, lengthBeforeMax: lengthBeforeMax, isCancelled)
    guard !self.isCancelled else { return nil }
  }

  /// How much of a block of code is read before the first paragraph, in UTF-16 units and in paragraphs. Without
  /// limits, each screenful of a long block would read all of the block before it.
  private static let (blockLengthMax, blockCountMax) = (1 << 14, 1 << 10)

  private init(
    _ state: TextState, _ paragraphs: Range<Int>?, _ rules: StyleRules,
    _ places: inout SyntaxPlaces, lengthBeforeMax: Int, _ isCancelled: () -> Bool
  ) {
    let all = 0..<state.paragraphCount
    self.state = state
    self.paragraphs = (paragraphs ?? all).clamped(to: all)
    guard let first = self.paragraphs.first else { return }
    var (styler, syntax) = (ParagraphStyler(rules), SyntaxState())
    var wasCancelled = false
    func ask() -> Bool {
      if !wasCancelled { wasCancelled = isCancelled() }
      return wasCancelled
    }
    var start = first
    if styler.hasStates {
      let known = places.state(
        before: first, in: state, &styler, lengthMax: lengthBeforeMax, isCancelled: ask)
      if let known {
        syntax = known
      } else {
        isExact = false
        let location = state.paragraph(at: first).range.location
        start = state.paragraphIndex(at: max(0, location - lengthBeforeMax))
      }
    } else {
      let isBounded = lengthBeforeMax < .max
      (start, isExact) = styler.blockStart(
        of: first, in: state,
        lengthMax: isBounded ? min(lengthBeforeMax, Self.blockLengthMax) : .max,
        countMax: isBounded ? Self.blockCountMax : .max)
    }
    if start < first {
      for paragraph in state.paragraphs[start..<first] {
        if ask() {
          self.isCancelled = true
          return
        }
        styler.skip(paragraph, in: state, &syntax)
      }
    }
    for paragraph in state.paragraphs[self.paragraphs] {
      if ask() {
        self.isCancelled = true
        return
      }
      if let length = styler.cutLength(of: paragraph, in: state) {
        tooLongCount += 1
        styledLength = min(styledLength ?? length, length)
      }
      guard let action = styler.action(on: paragraph, in: state, &syntax) else { continue }
      do { try self.state.applyDerived(action) } catch {
        assertionFailure("an action made for this version fits it: \(error)")
      }
    }
  }
}
