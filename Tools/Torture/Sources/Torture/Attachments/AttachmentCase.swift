import EditLog
import EditModel
import TestSupport

/// One or two changed attachments, and what is then said of them.
struct AttachmentCase: CustomStringConvertible {
  /// What becomes of a file.
  enum Change: CaseIterable { case removed, emptied, cut, longer, bit, exchanged }
  /// What the store is used for before it is checked.
  enum Work: CaseIterable { case nothing, start, seal, compact, forget }

  private let store: AttachmentStore
  private let work: Work
  private let changes: [(position: Int, change: Change, random: Int)]
  private let isAccepted: Bool

  var description: String {
    changes.map { "\(store.known[$0.position].path): \($0.change)" }.joined(separator: ", ")
      + ", \(work)"
  }

  init(_ store: AttachmentStore, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.store = store
    work = random.pick(Work.allCases) ?? .nothing
    isAccepted = random.below(2) == 0
    let count = store.known.isEmpty ? 0 : random.below(3)
    changes = (0..<count).map { _ in
      (random.below(store.known.count), random.pick(Change.allCases) ?? .removed, random.below(999))
    }
  }

  /// - Throws: `StateCheck.Failure`; an error of the store.
  func run() throws {
    let disk = SimulatedFileSystem(store.snapshot)
    for (position, change, random) in changes { apply(change, to: position, random, on: disk) }
    let bad = Set(
      store.known.filter { disk[$0.path] != SimulatedFileSystem(store.snapshot)[$0.path] }
        .map(\.path))
    try use(disk)
    let isForgotten = work == .forget
    let left = store.known.filter { !isForgotten || $0.document != name("c") }
    try check(disk, left, bad.intersection(left.map(\.path)))
    let writer = try openWriter(disk, seed: store.seed &+ 5)
    if isAccepted { _ = try writer.acceptLosses() }
    for known in left where !isAccepted || bad.contains(known.path) {
      _ = try writer.attach(known.content, to: known.document)
    }
    try writer.close()
    try check(disk, left, [])
  }

  private func apply(
    _ change: Change, to position: Int, _ random: Int, on disk: SimulatedFileSystem
  ) {
    let path = store.known[position].path
    let bytes = disk[path] ?? []
    switch change {
    case .removed: disk[path] = nil
    case .emptied: disk[path] = []
    case .cut: disk[path] = Array(bytes.prefix(random % max(1, bytes.count)))
    case .longer: disk[path] = bytes + [0]
    case .bit:
      guard !bytes.isEmpty else { return }
      disk[path]?[random % bytes.count] ^= 1 << UInt8(random % 8)
    case .exchanged:
      let other = store.known[random % store.known.count].path
      (disk[path], disk[other]) = (disk[other], bytes)
    }
  }

  private func use(_ disk: SimulatedFileSystem) throws {
    guard work != .nothing else { return }
    let writer = try openWriter(disk, seed: store.seed &+ 3)
    switch work {
    case .nothing, .start: break
    case .seal: try writer.sealAll()
    case .compact:
      guard let job = try writer.prepareCompaction(name("a")) else { break }
      job.run()
      try writer.finish(job)
    case .forget: _ = try writer.forget(name("c"))
    }
    try writer.close()
  }

  /// `bad` are named, and none of the others is; what is given has the right bytes.
  private func check(
    _ disk: SimulatedFileSystem, _ known: [AttachmentStore.Known], _ bad: Set<String>
  ) throws {
    let opened = try Store.open(at: "/store", fileSystem: disk)
    let named = Set(try opened.verify().problems.map { "/store/\($0.error.path)" })
    guard named == bad else {
      throw StateCheck.Failure(
        what: named.isSuperset(of: bad) ? "a false alarm" : "not named",
        detail: "\(named.symmetricDifference(bad))")
    }
    for loss in try opened.attachmentLosses() {
      guard !bad.contains(where: { $0.contains("\(loss.digest)") }) else { continue }
      throw StateCheck.Failure(what: "a sound attachment is called lost", detail: "\(loss)")
    }
    for one in known {
      let content = try? opened.attachment(one.digest, of: one.document)
      guard bad.contains(one.path) ? content == nil : content == one.content else {
        throw StateCheck.Failure(what: "other bytes are given", detail: one.path)
      }
    }
  }
}
