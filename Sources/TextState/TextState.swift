public import EditModel

/// Text, attribute runs and paragraphs of one version: the state machine that folds edits.
///
/// It is a value. A copy is a snapshot: it is made in O(1) and shares all memory with the original.
/// An edit of either then copies the few nodes that it changes.
///
/// Invariants (`invariantViolation` checks them):
/// - the lengths of the paragraphs add up to the text's; there is at least one; each but the
///   last ends with its terminator (LF, CR, CR LF or U+2029), and no terminator is elsewhere;
/// - no two paragraphs have the same identifier, and none is newer than `sequence`;
/// - the lengths of the attribute runs add up to the text's; none is empty, and neighbours
///   differ;
/// - each paragraph is found by its identifier.
public struct TextState: Sendable {
  /// The content, shared with copies until one of them changes.
  private(set) var core: StateCore

  /// The empty document: no text, and one empty paragraph, `0.0`.
  public init() { core = StateCore(limits: nil) }

  /// The empty document, in trees of these limits.
  init(limits: TreeLimits?) { core = StateCore(limits: limits) }

  /// The number of the last applied edit; 0 for the empty document.
  public var sequence: SequenceNumber { core.sequence }

  /// UTF-16 units in the text.
  public var length: Int { core.length }

  /// Paragraphs in the text: terminators + 1.
  public var paragraphCount: Int { core.paragraphCount }

  /// Makes the content this state's own, before it changes. O(1).
  @inline(__always)
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&core) { core = core.copy() }
  }
}
