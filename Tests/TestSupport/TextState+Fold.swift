public import EditModel
public import TextState

extension TextState {
  /// The version that these edits lead to, from the empty document on; nil if one does not fit.
  public init?(folding edits: some Sequence<Edit>) {
    self.init()
    for edit in edits {
      guard edit.sequence == sequence + 1, (try? apply(edit.action)) != nil else { return nil }
    }
  }
}
