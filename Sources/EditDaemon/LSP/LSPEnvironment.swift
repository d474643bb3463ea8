public import EditModel
public import TextState

/// What reading a message may ask of the daemon around it.
public struct LSPEnvironment {
  /// The newest state of a document; nil where the log has no history of it.
  public var state: (DocumentID) -> TextState?
  /// True if the log has a history of a document.
  public var isKnown: (DocumentID) -> Bool
  /// The bytes of the file that a document is named by; nil where there is none to be read, or
  /// it is too long to be.
  public var readDisk: (DocumentID) -> [UInt8]?
  /// The digest of a text.
  public var digest: (UTF16Text) -> ContentDigest

  /// Surroundings that answer so.
  public init(
    state: @escaping (DocumentID) -> TextState?,
    isKnown: @escaping (DocumentID) -> Bool,
    readDisk: @escaping (DocumentID) -> [UInt8]?,
    digest: @escaping (UTF16Text) -> ContentDigest
  ) {
    (self.state, self.isKnown) = (state, isKnown)
    (self.readDisk, self.digest) = (readDisk, digest)
  }
}
