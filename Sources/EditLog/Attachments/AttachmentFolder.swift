import EditLogFormat
public import EditModel

/// An attachment of a document.
public struct StoredAttachment: Hashable, Sendable {
  /// The digest of its bytes.
  public var digest: AttachmentDigest
  /// Its size in bytes.
  public var size: Int
}

/// The limits of attachments.
public enum AttachmentLimits {
  /// The maximum size of an attachment, in bytes.
  public static let sizeMax = 16 << 20
  /// The maximum number of attachments of a document.
  public static let countMax = 4_096
}

/// The attachments in the folder of one document, each once.
struct AttachmentFolder {
  let directory: any Directory
  private let store: StoreID
  private let document: UInt64

  /// The attachments of document `number`; nil if it has no files.
  init?(
    _ number: UInt64, in documents: DocumentsDirectory?, store: StoreID
  ) throws(LogError) {
    guard let directory = try documents?.document(number) else { return nil }
    self.init(directory, store: store, document: number)
  }

  init(_ directory: any Directory, store: StoreID, document: UInt64) {
    (self.directory, self.store, self.document) = (directory, store, document)
  }

  /// The digests of the attachments, valid or not, ascending.
  func digests() throws(LogError) -> [AttachmentDigest] {
    try directory.names().compactMap { StoreLayout.attachment(named: $0) }
  }

  /// The attachments with a valid file that are not in `listed`: a program that does not know the file
  /// `attachments` stored them. Contents are not read.
  func unlisted(_ listed: Set<AttachmentDigest>) throws(LogError) -> [StoredAttachment] {
    var found: [StoredAttachment] = []
    for digest in try digests() where !listed.contains(digest) {
      guard let size = try size(of: digest) else { continue }
      found.append(StoredAttachment(digest: digest, size: size))
    }
    return found
  }

  /// The path of an attachment, for messages.
  func path(of digest: AttachmentDigest) -> String {
    directory.path(of: StoreLayout.name(of: digest))
  }

  /// The path of an attachment, relative to the store.
  static func path(of digest: AttachmentDigest, of document: UInt64) -> String {
    "\(DocumentsDirectory.path(of: document))/\(StoreLayout.name(of: digest))"
  }

  /// The loss of an attachment that was acknowledged, and has no file.
  static func missing(_ digest: AttachmentDigest, of document: UInt64) -> LogError {
    .damaged(
      file: path(of: digest, of: document), offset: 0,
      what: "the attachment is missing, and was acknowledged")
  }

  /// What is wrong with an attachment of `size` bytes that was acknowledged; nil if its file has the
  /// right size. The content is not read.
  func problem(of digest: AttachmentDigest, size: Int) throws(LogError) -> LogError? {
    do throws(LogError) {
      let fileSize = try directory.open(StoreLayout.name(of: digest), .read).size()
      guard fileSize != AttachmentFile.frontSize + size else { return nil }
      return .damaged(
        file: path(of: digest), offset: fileSize, what: "the attachment has another size")
    } catch {
      if case .refused = error { return error }
      guard error.isMissing else { throw error }
      return Self.missing(digest, of: document)
    }
  }

  /// What is wrong with an attachment; nil if its bytes are right. It may be absent if `size` is nil.
  func problem(ofContent digest: AttachmentDigest, size: Int?) throws(LogError) -> LogError? {
    do throws(LogError) {
      if try content(of: digest) != nil { return nil }
      return size == nil ? nil : Self.missing(digest, of: document)
    } catch {
      switch error {
      case .damaged, .refused: return error
      default:
        guard error.isMissing else { throw error }
        return Self.missing(digest, of: document)
      }
    }
  }

  /// The size of an attachment in bytes. Nil if there is none, or its file is not valid; the content is
  /// not read.
  func size(of digest: AttachmentDigest) throws(LogError) -> Int? {
    try open(digest)?.size
  }

  /// The bytes of an attachment; nil if there is none.
  ///
  /// - Throws: `LogError.damaged` if they are not those that were stored.
  func content(of digest: AttachmentDigest) throws(LogError) -> [UInt8]? {
    guard try directory.hasFile(StoreLayout.name(of: digest)) else { return nil }
    guard let (file, size) = try open(digest) else {
      throw .damaged(file: path(of: digest), offset: 0, what: "the header of the attachment")
    }
    let bytes = try file.read(size, at: AttachmentFile.frontSize)
    guard AttachmentFile.digest(of: bytes) == digest else {
      throw .damaged(
        file: path(of: digest), offset: AttachmentFile.frontSize,
        what: "the bytes of the attachment do not have the digest that its name says")
    }
    return bytes
  }

  private func open(
    _ digest: AttachmentDigest
  ) throws(LogError) -> (file: any File, size: Int)? {
    let file: any File
    do { file = try directory.open(StoreLayout.name(of: digest), .read) } catch {
      if error.isMissing { return nil }
      throw error
    }
    let fileSize = try file.size()
    guard fileSize <= AttachmentFile.frontSize + AttachmentLimits.sizeMax else { return nil }
    let front = try file.read(AttachmentFile.frontSize, at: 0)
    return AttachmentFile.size(front, fileSize: fileSize, store: store, document: document)
      .map { (file, $0) }
  }

  /// True if `file` is whole: the attachment with this digest of document `document`.
  static func isValid(
    _ file: any File, _ digest: AttachmentDigest, store: StoreID, document: UInt64
  ) throws(LogError) -> Bool {
    let fileSize = try file.size()
    guard fileSize <= AttachmentFile.frontSize + AttachmentLimits.sizeMax,
      let size = AttachmentFile.size(
        try file.read(AttachmentFile.frontSize, at: 0), fileSize: fileSize, store: store,
        document: document)
    else { return false }
    return AttachmentFile.digest(of: try file.read(size, at: AttachmentFile.frontSize)) == digest
  }

  /// Stores an attachment, durably, unless it is there.
  ///
  /// - Returns: False if it is there.
  func add(
    _ content: [UInt8], _ digest: AttachmentDigest, _ flushes: inout FlushWatch
  ) throws(LogError) -> Bool {
    // A file with other bytes is replaced; one that cannot be read is not.
    let stored = try ifUsable { () throws(LogError) in try self.content(of: digest) }
    if stored != nil { return false }
    let bytes =
      AttachmentFile.front(size: content.count, store: store, document: document) + content
    let name = StoreLayout.name(of: digest)
    do throws(LogError) { try directory.replace(name, with: bytes, &flushes) } catch {
      try? directory.removeIfPresent(name + "." + StoreLayout.Kind.temporary.rawValue)
      throw error
    }
    return true
  }
}
