import EditLog
import EditModel
import TestSupport

/// One run of a store, with its moments.
final class MissingLife {
  private(set) var moments: [MissingStore.Moment] = []
  private let disk = SimulatedFileSystem()
  private var source: MissingSource
  private var known = KnownStore()
  private var writer: StoreWriter?
  private let seed: UInt64
  private var startCount: UInt64 = 0

  init(seed: UInt64) throws {
    (self.seed, source) = (seed, MissingSource(seed: seed))
    try start()
  }

  // MARK: Steps

  private func start() throws {
    startCount += 1
    writer = nil
    writer = try MissingCase.open(disk, seed: seed &* 64 &+ startCount)
    // Opening confirms what it found.
    known.mark()
  }

  private func append(_ letter: String, _ count: Int, mayBeByJob: Bool = true) throws {
    let id = name(letter)
    var index = known.documents.firstIndex { $0.names[0] == id }
    if index == nil {
      let number = (known.numbers.max() ?? 0) + 1
      known.documents.append(
        KnownDocument(number: number, names: [id], entries: [], markedCount: 0))
      known.numbers.insert(number)
      index = known.documents.count - 1
    }
    guard let index else { return }
    let entries = source.entries(after: known.documents[index].entries, count: count)
    let isByJob = source.isByJob() && mayBeByJob
    let receipt = try writer?.append(entries, to: id, byJob: isByJob)
    known.documents[index].entries += entries
    if isByJob { known.mark() }
    if known.documents[index].kept != nil || known.documents[index].entries == entries {
      known.documents[index].kept = receipt
    }
  }

  private func mark() throws {
    try writer?.confirm()
    try writer?.markDurable()
    known.mark()
  }

  private func seal() throws {
    try mark()
    try writer?.sealAll()
  }

  private func close() throws {
    try writer?.close()
    writer = nil
    known.mark()
  }

  private func note(_ what: String, mayBeHit: Bool = true) {
    moments.append(
      MissingStore.Moment(
        name: what, snapshot: disk.snapshot, files: disk.files, known: known, mayBeHit: mayBeHit))
  }

  // MARK: Parts of its life

  /// In journals alone, then sealed once.
  func journals(upgraded: Bool) throws {
    try append("a", 4)
    try mark()
    try append("b", 3)
    note("a kill, the last batch not confirmed")
    try append("a", 3)
    try mark()
    note("a kill, all in the journal")
    if upgraded {
      try close()
      ReleasedLayout.downgrade(disk)
      note("of format 1.0", mayBeHit: false)
      try start()
      note("upgraded from format 1.0")
      try append("b", 2)
      try mark()
    }
    try writer?.seal(name("a"))
    note("one document sealed")
    try seal()
    note("all sealed once")
    try close()
    note("closed")
  }

  /// In several segments, with checkpoints.
  func segments() throws {
    try start()
    try append("one", 1)
    try append("gone", 2)
    for _ in 0..<2 {
      try append("a", 6)
      try append("b", 5)
      try seal()
    }
    // A history of more than one link.
    if seed % 64 == 7 { try append("a", 4_100) }
    note("several segments")
    let id = known.documents[0].names[0]
    let last = try writer?.lastSequence(of: id) ?? 0
    try writer?.writeCheckpoint(
      id, at: last, MissingText.checkpoint(of: known.documents[0].entries))
    try append("a", 2)
    try append("b", 2)
    try mark()
    note("segments, a checkpoint and a journal")
    try seal()
    try close()
    note("closed with segments")
  }

  /// Compacted, a document forgotten, one renamed.
  func rest() throws {
    try start()
    if let job = try writer?.prepareCompaction(known.documents[0].names[0]) {
      job.run()
      try writer?.finish(job)
    }
    note("compacted")
    _ = try writer?.forget(name("gone"))
    known.documents.removeAll { $0.names[0].name == "gone" }
    try mark()
    note("one document forgotten: the catalog is rewritten")
    try rename(1)
    try append("new", 3)
    try mark()
    note("renamed, and a new document")
    try seal()
    try append("b2", 2)
    try close()
    note("closed with a journal")
  }

  private func rename(_ index: Int) throws {
    let old = known.documents[index].names[0]
    let new = name("\(old.name)2")
    let event = source.renaming(from: old, after: known.documents[index].entries)
    _ = try writer?.append([(new, [.event(event)])], renaming: [DocumentRename(old, to: new)])
    known.documents[index].names.insert(new, at: 0)
    known.documents[index].entries.append(.event(event))
  }

  /// After a loss, before and after it was accepted.
  func loss() throws {
    try start()
    try append("a", 3)
    try seal()
    let kept = known
    // To be lost with the journals.
    try append("a", 2, mayBeByJob: false)
    try mark()
    writer = nil
    for name in disk.names(at: "/store/journal") { disk["/store/journal/\(name)"] = nil }
    known.documents = kept.documents
    known.documents[0].isShort = true
    known.documents[0].kept = nil
    try start()
    note("a loss that is known")
    try append("a", 1)
    try seal()
    try close()
    note("closed, with a loss that is known")
    try start()
    _ = try writer?.acceptLosses()
    known.documents[0].isShort = false
    known.hasAccepted = true
    try append("a", 1)
    try append("one", 1)
    try mark()
    note("a loss that was accepted")
    try close()
    note("closed, with a loss that was accepted")
  }
}
