import EditLogFormat
import EditModel

/// Removes a forgotten document from the files in quarantine. It is idempotent.
///
/// A file of one document belongs to the document that its header names or, if the header cannot be
/// read, its name: it is removed with that document, and left as it is for every other.
///
/// A journal keeps its size and the records of other documents, in batches whose checksums are
/// recomputed. It is replaced by a copy: a crash leaves one of the two.
///
/// All else may have bytes of any document, and cannot be told apart: bytes of a journal that are no
/// record, the torn end of a journal, and files that no writer puts there. It is overwritten, and the
/// receipt names it.
struct QuarantineErasure {
  private let directory: any Directory
  private let store: StoreID
  private let document: UInt64

  init(_ directory: any Directory, store: StoreID, document: UInt64) {
    (self.directory, self.store, self.document) = (directory, store, document)
  }

  /// Removes the document, and records what was removed.
  func run(_ removed: inout ForgetReceipt.Removed) throws(LogError) {
    try finishReplacing()
    for name in try directory.names() where StoreLayout.isTemporary(name) {
      removed.size += try directory.erase(name)
      removed.fileCount += 1
    }
    for name in try directory.names() {
      if name.hasSuffix("." + StoreLayout.Kind.journal.rawValue) {
        try eraseFromJournal(name, &removed)
      } else if let owner = try owner(of: name) {
        guard owner == document else { continue }
        removed.size += try directory.erase(name)
        removed.fileCount += 1
      } else {
        try erase(name, &removed)
      }
    }
    try directory.sync()
  }

  /// The number of the only document of which a file has bytes; nil if that cannot be told.
  private func owner(of name: String) throws(LogError) -> UInt64? {
    let file = try directory.open(name, .read)
    if let header = try header(of: file) { return header.number }
    let isOfDocument = [StoreLayout.Kind.mended, .segment, .attachment].contains { kind in
      name.hasSuffix("." + kind.rawValue)
    }
    return isOfDocument ? StoreLayout.number(of: name.prefix(20)) : nil
  }

  /// The header of a file of one document; nil if it has none.
  private func header(of file: any File) throws(LogError) -> FileHeader? {
    let segment = try ifUsable { () throws(LogError) in
      try SegmentFile(file).header(store: store)
    }
    if let segment { return segment }
    let bytes = try file.read(FileHeader.size, at: 0)
    let header = bytes.withUnsafeBytes { FileHeader(.attachment, $0) }
    return header.flatMap { $0.store == store ? $0 : nil }
  }

  private static func copyName(_ name: String) -> String {
    name + "." + StoreLayout.Kind.erased.rawValue
  }

  /// Completes replacements that a crash interrupted after the copy was complete.
  private func finishReplacing() throws(LogError) {
    let names = try directory.names()
    for name in names where names.contains(Self.copyName(name)) { try replace(name) }
  }

  private func replace(_ name: String) throws(LogError) {
    try directory.open(name, .write).erase()
    try directory.rename(Self.copyName(name), to: name, in: directory)
    try directory.sync()
  }

  /// Overwrites a file that cannot be read.
  private func erase(
    _ name: String, _ removed: inout ForgetReceipt.Removed
  ) throws(LogError) {
    let file = try directory.open(name, .write)
    let size = try file.size()
    guard try !file.isErased(size) else { return }
    try file.erase()
    removed.unreadableSize += size
    removed.erased.append(name)
  }

  private func eraseFromJournal(
    _ name: String, _ removed: inout ForgetReceipt.Removed
  ) throws(LogError) {
    let file = try directory.open(name, .read)
    let size = try file.size()
    guard size <= JournalContents.sizeMax else { return try erase(name, &removed) }
    let bytes = try file.read(size, at: 0)
    let journal = JournalErasure(bytes, of: document, store: store)
    guard journal.bytes != bytes else { return }
    // The copy has another name, so that the old file is still complete after a crash.
    try directory.replace(Self.copyName(name), with: journal.bytes)
    try replace(name)
    removed.unreadableSize += journal.unreadableSize
    removed.erased.append(name)
  }
}

extension File {
  /// True if the first `size` bytes are zeros.
  fileprivate func isErased(_ size: Int) throws(LogError) -> Bool {
    for offset in stride(from: 0, to: size, by: 1 << 20) {
      let bytes = try read(min(1 << 20, size - offset), at: offset)
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
    }
    return true
  }
}
