public import EditModel

extension TextState {
  /// Applies edits one after the other, as one group: all of them, or none where one throws. Each
  /// action's range counts in the text that the one before has left.
  ///
  /// The cost is that of the edits, and that of `Transaction.change(to:)`.
  ///
  /// - Returns: What the edits come to; nil if there are none.
  /// - Throws: `EditError` if an action does not fit. The state is then what it was.
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
