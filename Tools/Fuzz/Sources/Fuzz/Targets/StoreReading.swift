import EditLog
import EditModel
import TestSupport

/// What can be asked of a store, and how the answers must agree.
enum StoreReading {
  /// Reads and verifies the store, lets a writer recover it, and reads again. If `writes`, the
  /// writer also repairs, appends and seals. What was read before is a prefix of what is read
  /// after.
  static func check(_ disk: SimulatedFileSystem, writes: Bool) {
    let before = read(disk)
    guard let writer = try? openWriter(disk, seed: 3) else { return }
    if writes { _ = try? writer.repair() }
    for document in SampleStore.documents {
      guard let list = (try? writer.history(of: document)).flatMap({ $0 }).flatMap(entries) else {
        continue
      }
      if let read = before[document], read != list { contradiction("reader and writer differ") }
      if writes { append(to: document, writer) }
    }
    guard writes else { return }
    try? writer.sealAll()
    try? writer.close()
    let after = read(disk)
    for (document, list) in before {
      guard let now = after[document] else { continue }
      if !now.starts(with: list) { contradiction("recovery changed \(document)") }
    }
  }

  /// `check`, which writes for one input in four: that takes as long as all the rest.
  static func check(_ disk: SimulatedFileSystem, with bytes: [UInt8]) {
    check(disk, writes: Seal.checksum(bytes) % 4 == 0)
  }

  private static func append(to document: DocumentID, _ writer: StoreWriter) {
    guard let last = try? writer.lastSequence(of: document), last < 1 << 60 else { return }
    let edit = Edit(
      sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "new"),
      origin: .typing, time: Timestamp(nanoseconds: 1 << 60))
    _ = try? writer.append([(document, [.edit(edit)])])
  }

  /// All that a reader can ask; the histories that can be read to their ends.
  private static func read(_ disk: SimulatedFileSystem) -> [DocumentID: [HistoryEntry]] {
    guard let store = try? Store.open(at: "/store", fileSystem: disk) else { return [:] }
    _ = try? store.verify()
    _ = try? store.documents()
    _ = try? store.status()
    _ = try? store.repairs()
    var found: [DocumentID: [HistoryEntry]] = [:]
    for document in SampleStore.documents {
      guard let history = try? store.history(of: document) else { continue }
      ask(history)
      if let list = entries(history) { found[document] = list }
    }
    return found
  }

  private static func ask(_ history: History) {
    _ = try? history.events()
    _ = try? history.marks()
    _ = try? history.sessions()
    _ = try? history.sequence(at: Timestamp(nanoseconds: 1_020))
    _ = try? history.edit(at: 17)
    try? history.forEachSpan { _ in }
    _ = try? history.checkpoint(atOrBefore: .max)
  }

  /// The entries of a history, which count up from 1; nil if they cannot be read.
  private static func entries(_ history: History) -> [HistoryEntry]? {
    var (list, last) = ([HistoryEntry](), SequenceNumber(0))
    let isWhole: Void? = try? history.forEachEntry { entry in
      let place =
        switch entry {
        case .edit(let edit): edit.sequence
        case .event(let event): event.after
        }
      if case .edit = entry { last += 1 }
      if place != last { contradiction("\(place) where \(last) is due") }
      list.append(entry)
    }
    return isWhole.map { list }
  }
}
