import ArgumentParser
import EditLog
import EditModel
import Synchronization
import TestSupport

/// History that was written again, with every checksum right.
struct RewriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rewrite",
    abstract: "Rewrites histories with correct checksums; acknowledgements must not confirm them.",
    discussion: """
      One seed is one store, and one with the same name and the same random bytes whose history \
      has an edit changed, removed, moved or put in.
      """)

  @OptionGroup var options: RunOptions

  func run() throws {
    let campaign = Campaign("rewrite", options, defaultCount: 10_000)
    try campaign.run { seed, worker in
      worker.begin(0)
      var rewriting = Rewriting(seed: seed)
      do { try rewriting.run() } catch let failure as StateCheck.Failure {
        worker.found(failure.what, failure.detail)
      }
      campaign.note()
    }
  }
}

/// A history and its forgery.
private struct Rewriting {
  private let seed: UInt64
  private var random: SplitMix64
  private let document = name("a")
  /// True if the history is longer than a link of the chain.
  private let isLong: Bool
  private let seals: Bool
  /// True if the store is opened again on the way.
  private let reopens: Bool

  /// An acknowledgement, and how many entries it covers.
  private typealias Ack = (count: Int, receipt: AppendReceipt)

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
    isLong = random.next() % 32 == 0
    (seals, reopens) = (random.next() % 2 == 0, random.next() % 2 == 0)
  }

  mutating func run() throws {
    var source = EntrySource(seed: seed)
    let count = isLong ? 6000 : Int.random(in: 4...60, using: &random)
    let list = renumbered(source.entries(of: document, count: count))
    let edits = list.indices.filter { if case .edit = list[$0] { true } else { false } }
    guard edits.count > 2 else { return }
    let place = edits[Int(random.next() % UInt64(edits.count - 1))]
    let forged = renumbered(forge(list, at: place))
    guard forged != list else { return }
    let original = SimulatedFileSystem()
    let (_, acks) = try store(list, on: original, state: "original")
    try checkSalt(list, acks)
    if isLong, case let found = try Store.open(at: "/store", fileSystem: original).verify(),
      !found.problems.isEmpty
    {
      throw StateCheck.Failure(what: "a false alarm", detail: "\(found.problems)")
    }
    let disk = SimulatedFileSystem()
    let (history, _) = try store(forged, on: disk, state: "forged")
    guard let history else { return }
    for (count, receipt) in acks {
      let isBefore = list[..<count] == forged.prefix(count)
      let isConfirmed = try history.confirms(receipt.head, at: receipt.lastSequence)
      guard isConfirmed == isBefore else {
        throw StateCheck.Failure(
          what: isBefore ? "an acknowledgement is not confirmed" : "a forgery is confirmed",
          detail: "entry \(count), changed at \(place + 1) of \(list.count)")
      }
    }
    if seals { try checkCheckpoint(from: original, on: disk, list, forged) }
  }

  /// The checkpoint of a history says nothing about its forgery, wherever they differ before it.
  private func checkCheckpoint(
    from original: SimulatedFileSystem, on disk: SimulatedFileSystem,
    _ list: [HistoryEntry], _ forged: [HistoryEntry]
  ) throws {
    for path in original.filePaths where path.hasSuffix(".checkpoint") {
      disk[path] = original[path]
    }
    // A writer uses the checkpoints alone that it wrote itself; a reader goes by their heads.
    let history = try Store.open(at: "/store", fileSystem: disk).history(of: document)
    guard let found = try history?.checkpoint(atOrBefore: .max),
      found.bytes != Array("forged".utf8)
    else { return }
    func before(_ list: [HistoryEntry]) -> ArraySlice<HistoryEntry> {
      list.prefix { entry in
        switch entry {
        case .edit(let edit): edit.sequence <= found.sequence
        case .event(let event): event.after < found.sequence
        }
      }
    }
    guard before(list) != before(forged) else { return }
    throw StateCheck.Failure(
      what: "a checkpoint of another history", detail: "after edit \(found.sequence)")
  }

  /// Heads depend on random bytes, so trying texts does not reveal which one was logged.
  private func checkSalt(_ list: [HistoryEntry], _ acks: [Ack]) throws {
    guard !isLong else { return }
    let (_, others) = try store(
      list, on: SimulatedFileSystem(), state: "original", random: OtherSalts(seed: seed))
    guard zip(acks, others).contains(where: { $0.receipt.head == $1.receipt.head })
    else { return }
    throw StateCheck.Failure(what: "a head without a salt", detail: "\(list.count) entries")
  }

  /// Edits, deletes, reorders or splices.
  private mutating func forge(_ list: [HistoryEntry], at place: Int) -> [HistoryEntry] {
    var forged = list
    switch (random.next() % 4, forged[place]) {
    case (0, .edit(var edit)):
      edit.action = EditAction(replacing: edit.action.range, with: "forged")
      forged[place] = .edit(edit)
    case (1, _): forged.remove(at: place)
    case (2, _): forged.swapAt(place, forged.count - 1)
    default: forged.insert(list[0], at: place + 1)
    }
    return forged
  }

  /// The same entries with the numbers a history has.
  private func renumbered(_ list: [HistoryEntry]) -> [HistoryEntry] {
    var last: SequenceNumber = 0
    return list.map { entry in
      switch entry {
      case .edit(var edit):
        last += 1
        (edit.sequence, edit.transaction) = (last, last)
        return .edit(edit)
      case .event(var event):
        event.after = last
        return .event(event)
      }
    }
  }

  /// A store with these entries, each appended alone, or some together where there are many.
  private func store(
    _ list: [HistoryEntry], on disk: SimulatedFileSystem, state: String,
    random: (any RandomBytes)? = nil
  ) throws -> (History?, [Ack]) {
    var options = StoreWriter.Options.small
    if isLong { (options.journalSizeMax, options.segmentSizeMax) = (1 << 20, 1 << 20) }
    let random = random ?? SeededBytes(seed: seed)
    func open() throws -> StoreWriter {
      try StoreWriter(
        at: "/store", fileSystem: disk, clock: FixedClock(), random: random, options: options)
    }
    var writer = try open()
    var acks: [Ack] = []
    let step = isLong ? 100 : 1
    for start in stride(from: 0, to: list.count, by: step) {
      if reopens, start == list.count / step * 9 / 10 * step {
        try writer.close()
        writer = try open()
      }
      let end = min(start + step, list.count)
      let receipts = try writer.append([(document, Array(list[start..<end]))])
      if let receipt = receipts.last { acks.append((end, receipt)) }
    }
    if seals {
      try writer.sealAll()
      let last = try writer.lastSequence(of: document) ?? 0
      try writer.writeCheckpoint(document, at: last, Array(state.utf8))
    }
    return (try writer.history(of: document), acks)
  }
}

/// The random bytes of a seed, except those after the store's name: other salts.
private final class OtherSalts: RandomBytes {
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)

  init(seed: UInt64) { self.seed = seed }

  func bytes(_ count: Int) -> [UInt8] {
    let number = self.count.add(1, ordering: .relaxed).oldValue
    return SeededBytes(seed: number == 0 ? seed : seed &+ number).bytes(count)
  }
}
