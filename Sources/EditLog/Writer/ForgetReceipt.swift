import EditLogFormat
public import EditModel

/// What was removed with a document.
public struct ForgetReceipt: Hashable, Sendable {
  /// The name it had.
  public var document: DocumentID
  /// Its number in the store, which no other document gets.
  public var number: UInt64
  /// Edits it had; 0 if that could not be read.
  public var editCount: UInt64 = 0
  /// Events it had; 0 if that could not be read.
  public var eventCount: UInt64 = 0
  /// Other documents that were sealed so that the journals could go.
  public var sealedDocumentCount = 0
  /// What was removed.
  public var removed = Removed()

  /// What was removed from the files.
  public struct Removed: Hashable, Sendable {
    /// Files that were overwritten and removed: of its own folder, and of the quarantine.
    public var fileCount = 0
    /// Bytes in them.
    public var size = 0
    /// Journals that held entries of it; they were overwritten and removed, or quarantined and
    /// erased.
    public var journals: [UInt64] = []
    /// Files in quarantine of which something was erased: of a journal, what belonged to this document
    /// and what could not be read, since its document is unknown; of a torn end, everything.
    public var erased: [String] = []
    /// Bytes that were erased because they could not be read: some may have belonged to others.
    public var unreadableSize = 0
  }

  init(document: DocumentID, number: UInt64) {
    (self.document, self.number) = (document, number)
  }
}
