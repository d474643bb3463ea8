/// The removal of a forgotten document's files, which is under way.
package struct DocumentRemoval {
  /// What is removed next.
  enum Step {
    /// Its first segment, if it is beside the folder.
    case folder
    /// The files of its folder, one by one.
    case files(DocumentDirectory)
    /// The journals with its entries, one by one; then what quarantine has of it.
    case journals
    /// Its names.
    case catalog
  }

  let number: UInt64
  var step = Step.folder
  /// What was removed until now.
  package internal(set) var removed = ForgetReceipt.Removed()

  init(of number: UInt64) { self.number = number }
}
