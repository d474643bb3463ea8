public import EditModel

/// One change of a host's list of paragraphs. It carries the content, so that a host needs no second
/// query.
///
/// Each index is a place in the list that the steps before it left.
public enum HostedStep: Hashable, Sendable {
  /// The paragraph is to be removed. It has its last content, and `oldRange` is its range in the
  /// text before the group. `mergedInto` is the paragraph that its remaining text became part of;
  /// nil if no text was left.
  case remove(
    index: Int, paragraph: HostedParagraph, oldRange: UTF16Range, mergedInto: ParagraphID?)
  /// The paragraph is new. `splitFrom` is the paragraph from which some of its text comes; nil if
  /// all of it was inserted.
  case insert(index: Int, paragraph: HostedParagraph, splitFrom: ParagraphID?)
  /// The paragraph's text changed.
  case edit(index: Int, paragraph: HostedParagraph)
  /// Only the paragraph's attributes changed.
  case style(index: Int, paragraph: HostedParagraph)

  /// Its index.
  public var index: Int {
    switch self {
    case .remove(let index, _, _, _), .insert(let index, _, _), .edit(let index, _),
      .style(let index, _):
      index
    }
  }

  /// The paragraph: before the step if it is removed, else after it.
  public var paragraph: HostedParagraph {
    switch self {
    case .remove(_, let paragraph, _, _), .insert(_, let paragraph, _), .edit(_, let paragraph),
      .style(_, let paragraph):
      paragraph
    }
  }
}
