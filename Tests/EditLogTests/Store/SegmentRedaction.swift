import EditModel
import TestSupport

@testable import EditLog

/// A redaction as FileFormat has it, of a document whose history is in its first segment: what a
/// later version will do.
struct SegmentRedaction {
  let system: SimulatedFileSystem
  private let folder = "/store/documents/00000000000000000001"
  private let file = "00000000000000000001.segment"

  init(_ system: SimulatedFileSystem) { self.system = system }

  /// The segment again with the units that an edit inserted replaced by a filler, the salt of its
  /// link by zeros, and the hash over what was there in the footer.
  func redact(_ sequence: SequenceNumber, editCountMax: Int = 1 << 14) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    let directory = try system.directory(at: folder)
    let old = try Segment(directory.open(file, .read), store: store.id, document: 1, first: 1)
    var entries: [HistoryEntry] = []
    for block in old.index.blocks { entries += try old.entries(of: block) }
    let link = DocumentChain.link(of: sequence)
    guard let salt = old.index.chain.salt(link),
      let position = entries.firstIndex(where: { $0.isEdit && $0.place == sequence }),
      case .edit(var edit) = entries[position], let text = edit.action.replacement
    else { throw NothingToRedact() }
    let first = Int((link - 1) * DocumentChain.linkSize)
    let commitment = DocumentChain.commitment(
      salt: salt, to: entries[first..<first + Int(DocumentChain.linkSize)])
    edit.action = EditAction(replacing: edit.action.range, with: Filler.text(for: text))
    entries[position] = .edit(edit)
    let new = try directory.open("new.tmp", .create)
    var writer = try SegmentWriter(new, store: store.id, document: 1, first: 1, level: 3)
    try writer.append(entries, editCountMax: editCountMax)
    let blocks = writer.index.blocks
    try writer.finish { index in
      index = old.index
      index.blocks = blocks
      index.chain.redact(link)
      index.redactions[link] = commitment
    }
    try writer.check()
    try directory.rename("new.tmp", to: file, in: directory)
  }

  struct NothingToRedact: Error {}
}
