public import EditModel
public import TextState

/// What reading a message may ask of the daemon around it.
public struct LSPSurroundings {
  /// The newest state of a document; nil where the log has no history of it.
  public var state: (DocumentID) -> TextState?
  /// The bytes of the file that a document is named by; nil where there is none to be read, or
  /// it is too long to be.
  public var readDisk: (DocumentID) -> [UInt8]?
  /// The digest of a text.
  public var digest: (UTF16Text) -> ContentDigest

  /// Surroundings that answer so.
  public init(
    state: @escaping (DocumentID) -> TextState?,
    readDisk: @escaping (DocumentID) -> [UInt8]?,
    digest: @escaping (UTF16Text) -> ContentDigest
  ) {
    (self.state, self.readDisk, self.digest) = (state, readDisk, digest)
  }
}
