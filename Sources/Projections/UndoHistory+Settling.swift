extension UndoHistory {
  /// Decides whether the last transaction is an undo or a redo, as if the next entry had begun another one.
  /// The transaction must have ended. O(1), or the cost of the transaction.
  package mutating func settle() { decide() }
}
