import EditModel
import TestSupport

@testable import EditLog
@testable import EditLogFormat

/// A redaction as an earlier draft of FileFormat had it, of a document whose history is in its
/// first segment: section 9 of the footer says what a link's contents were. No writer ever made
/// one, and every reader refuses it, because nothing in the chain holds the section.
struct SegmentRedaction {
  let system: SimulatedFileSystem
  private let folder = "/store/documents/00000000000000000001"
  private let file = "00000000000000000001.segment"

  init(_ system: SimulatedFileSystem) { self.system = system }

  /// The segment again with the units that an edit inserted replaced by `text`, the salt of its
  /// link by zeros, and the hash over what was there in the footer.
  func redact(_ sequence: SequenceNumber, to text: (UTF16Text) -> UTF16Text) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    let directory = try system.directory(at: folder)
    let old = try Segment(directory.open(file, .read), store: store.id, document: 1, first: 1)
    var entries: [HistoryEntry] = []
    for block in old.index.blocks { entries += try old.entries(of: block) }
    let link = DocumentChain.link(of: sequence)
    guard let salt = old.index.chain.salt(link),
      let position = entries.firstIndex(where: { $0.isEdit && $0.place == sequence }),
      case .edit(var edit) = entries[position], let inserted = edit.action.replacement
    else { throw NothingToRedact() }
    let first = Int((link - 1) * DocumentChain.linkSize)
    let last = min(first + Int(DocumentChain.linkSize), entries.count)
    let commitment = commitment(salt: salt, to: entries[first..<last])
    edit.action = EditAction(replacing: edit.action.range, with: text(inserted))
    entries[position] = .edit(edit)
    let new = try directory.open("new.tmp", .create)
    var writer = try SegmentWriter(
      new, store: store.id, document: 1, first: 1, level: 3, largeLevel: 1)
    try writer.append(entries, editCountMax: 1 << 14)
    let blocks = writer.index.blocks
    try writer.finish { index in
      index = old.index
      index.blocks = blocks
      let offset = Int(link - index.chain.firstSalt)
      index.chain.salts[offset] = [UInt8](repeating: 0, count: DocumentChain.saltSize)
    }
    guard var parts = SegmentParts(system[folder + "/new.tmp"] ?? []) else {
      throw NothingToRedact()
    }
    try directory.remove("new.tmp")
    var section = ByteWriter()
    section.write(count: 1)
    section.write(varint: link)
    section.write(bytes: commitment)
    parts[9] = section.bytes
    system[folder + "/" + file] = parts.file
  }

  private func commitment(salt: [UInt8], to entries: ArraySlice<HistoryEntry>) -> [UInt8] {
    var hash = SHA256()
    hash.update(salt)
    var meta = ByteWriter()
    for entry in entries {
      var content = ByteWriter()
      RecordCodec.encode(entry, meta: &meta, content: &content)
      withUnsafeBytes(of: UInt64(content.count).littleEndian) { hash.update($0) }
      hash.update(content.bytes)
    }
    return hash.digest
  }

  struct NothingToRedact: Error {}
}
