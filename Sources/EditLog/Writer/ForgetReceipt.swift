import EditLogFormat
public import EditModel

/// The receipt of a document's removal.
public struct ForgetReceipt: Hashable, Sendable {
  /// The name that it had.
  public var document: DocumentID
  /// Its number in the store, which is never given to another document.
  public var number: UInt64
  /// The number of its edits; 0 if they could not be read.
  public var editCount: UInt64 = 0
  /// The number of its events; 0 if they could not be read.
  public var eventCount: UInt64 = 0
  /// The number of other documents that were sealed so that journals could be removed.
  public var sealedDocumentCount = 0
  /// The files and bytes that were removed.
  public var removed = Removed()

  /// The files and bytes that were removed.
  public struct Removed: Hashable, Sendable {
    /// The number of files that were overwritten and removed, in its own folder and in quarantine.
    public var fileCount = 0
    /// Their size in bytes.
    public var size = 0
    /// The number of journals that held its entries. They were overwritten and removed, or
    /// quarantined and erased.
    public var journals: [UInt64] = []
    /// Files in quarantine in which bytes were erased: in a journal, those of this document and
    /// those that could not be read, since their document is unknown; in a torn end, all.
    public var erased: [String] = []
    /// The number of bytes that were erased because they could not be read. Some may have belonged
    /// to other documents.
    public var unreadableSize = 0
  }

  init(document: DocumentID, number: UInt64) {
    (self.document, self.number) = (document, number)
  }
}
