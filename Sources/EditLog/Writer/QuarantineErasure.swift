import EditLogFormat
import EditModel

/// Removes a forgotten document from the files in quarantine. It is idempotent.
///
/// A journal keeps its size and the records of other documents, in batches whose checksums are
/// recomputed. It is replaced by a copy: a crash leaves one of the two. Bytes that cannot be read
/// may belong to any document, and are erased.
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
      if isOwnSegment(name) {
        removed.size += try directory.erase(name)
        removed.fileCount += 1
      } else if name.hasSuffix("." + StoreLayout.Kind.journal.rawValue) {
        try eraseFromJournal(name, &removed)
      } else if !name.hasSuffix("." + StoreLayout.Kind.mended.rawValue) {
        try erase(name, &removed)
      }
    }
    try directory.sync()
  }

  /// A segment is quarantined under its document's number.
  private func isOwnSegment(_ name: String) -> Bool {
    name.hasSuffix("." + StoreLayout.Kind.mended.rawValue)
      && StoreLayout.number(of: name.prefix(20)) == document
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
