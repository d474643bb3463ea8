public import EditModel
public import TextState

/// A paragraph as a host keeps it: its identity, text and attributes, but no location. An edit in an
/// earlier paragraph therefore does not change it.
public struct HostedParagraph: Hashable, Sendable, Identifiable {
  /// Its identifier, which stays through edits.
  public let id: ParagraphID
  /// Its units, terminator included.
  public let text: UTF16Text
  /// Its attributes, as runs that cover the text.
  public let attributes: [AttributeRun]

  /// A paragraph with this content.
  public init(id: ParagraphID, text: UTF16Text, attributes: [AttributeRun] = []) {
    (self.id, self.text, self.attributes) = (id, text, attributes)
  }

  /// The paragraph at `descriptor` of `state`. O(its units and runs + log n).
  public init(_ descriptor: ParagraphDescriptor, in state: TextState) {
    id = descriptor.id
    text = state.text(in: descriptor.range)
    attributes = state.attributeRuns(in: descriptor.range)
  }
}

extension TextState {
  /// All paragraphs with their content, in document order. O(n).
  public var hostedParagraphs: [HostedParagraph] {
    paragraphs.map { HostedParagraph($0, in: self) }
  }
}
