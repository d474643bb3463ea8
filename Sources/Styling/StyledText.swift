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
  private var isCancelled = false

  /// Styles paragraphs of a version.
  ///
  /// O(text and runs of these paragraphs), and O(text before them) if the grammar has contexts that go
  /// over several paragraphs.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - paragraphs: The paragraphs, by index; nil for all. What the version does not have is left out.
  ///   - rules: The rules.
  public init(_ state: TextState, paragraphs: Range<Int>? = nil, by rules: StyleRules) {
    self.init(state, paragraphs, rules, lengthBeforeMax: .max) { false }
  }

  /// As `init(_:paragraphs:by:)`, with bounded work. Nil if it is cancelled.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - paragraphs: The paragraphs, by index; nil for all. What the version does not have is left out.
  ///   - rules: The rules.
  ///   - lengthBeforeMax: How much text before the paragraphs is read, in UTF-16 units: at its
  ///     start, no comment and no fence is taken to be open. `isExact` says whether that was all.
  ///   - isCancelled: Asked before each paragraph.
  public init?(
    _ state: TextState, paragraphs: Range<Int>? = nil, by rules: StyleRules,
    lengthBeforeMax: Int, isCancelled: () -> Bool
  ) {
    self.init(state, paragraphs, rules, lengthBeforeMax: lengthBeforeMax, isCancelled)
    guard !self.isCancelled else { return nil }
  }

  private init(
    _ state: TextState, _ paragraphs: Range<Int>?, _ rules: StyleRules, lengthBeforeMax: Int,
    _ isCancelled: () -> Bool
  ) {
    let all = 0..<state.paragraphCount
    self.state = state
    self.paragraphs = (paragraphs ?? all).clamped(to: all)
    guard let first = self.paragraphs.first else { return }
    var (styler, syntax) = (ParagraphStyler(rules), SyntaxState())
    if styler.hasStates {
      let location = state.paragraph(at: first).range.location
      let start =
        location <= lengthBeforeMax ? 0 : state.paragraphIndex(at: location - lengthBeforeMax)
      isExact = start == 0
      for paragraph in state.paragraphs[start..<first] {
        if isCancelled() {
          self.isCancelled = true
          return
        }
        styler.skip(paragraph, in: state, &syntax)
      }
    }
    for paragraph in state.paragraphs[self.paragraphs] {
      if isCancelled() {
        self.isCancelled = true
        return
      }
      guard let action = styler.action(on: paragraph, in: state, &syntax) else { continue }
      do { try self.state.applyDerived(action) } catch {
        assertionFailure("an action made for this version fits it: \(error)")
      }
    }
  }
}
