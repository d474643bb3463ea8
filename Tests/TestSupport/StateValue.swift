public import EditModel
public import TextState

/// Everything there is to see of a state, to be compared.
public struct StateValue: Hashable, Sendable {
  public var sequence: SequenceNumber
  public var text: UTF16Text
  public var attributeRuns: [AttributeRun]
  public var paragraphs: [ParagraphDescriptor]

  public init(_ state: TextState) {
    (sequence, text, attributeRuns) = (state.sequence, state.text, state.attributeRuns)
    paragraphs = Array(state.paragraphs)
  }
}

extension TextState {
  /// The version that these edits lead to, from the empty document on; nil where one does not fit.
  public init?(folding edits: some Sequence<Edit>) {
    self.init()
    for edit in edits {
      guard edit.sequence == sequence + 1, (try? apply(edit.action)) != nil else { return nil }
    }
  }
}
