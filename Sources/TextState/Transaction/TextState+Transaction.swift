public import EditModel

extension TextState {
  /// Applies edits one after the other, as one group. If one throws, nothing is changed. Each
  /// action's range refers to the text after the one before it.
  ///
  /// The cost is that of the edits, and that of `Transaction.change(to:)`.
  ///
  /// - Returns: The combined change of the edits; nil if there are none.
  /// - Throws: `EditError` if an action does not fit. The state is then unchanged.
  @discardableResult
  public mutating func apply(
    contentsOf actions: some Sequence<EditAction>
  ) throws(EditError) -> TransactionChange? {
    var transaction = Transaction(before: self)
    do throws(EditError) {
      for action in actions { transaction.append(try apply(action)) }
    } catch {
      self = transaction.before
      throw error
    }
    return transaction.change(to: self)
  }
}
