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

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  mutating func run() throws {
    var source = EntrySource(seed: seed)
    let list = source.entries(of: document, count: Int.random(in: 4...60, using: &random))
    let edits = list.indices.filter { if case .edit = list[$0] { true } else { false } }
    guard edits.count > 2 else { return }
    let place = edits[Int(random.next() % UInt64(edits.count - 1))]
    let forged = renumbered(forge(list, at: place))
    guard forged != list else { return }
    let seals = random.next() % 2 == 0
    let (_, receipts) = try store(list, seals: seals)
    try checkSalt(list, receipts, seals: seals)
    let (history, _) = try store(forged, seals: seals)
    guard let history else { return }
    for (index, receipt) in receipts.enumerated() {
      let isBefore = list[...index] == forged.prefix(index + 1)
      let isConfirmed = try history.confirms(receipt.head, at: receipt.lastSequence)
      guard isConfirmed == isBefore else {
        throw StateCheck.Failure(
          what: isBefore ? "an acknowledgement is not confirmed" : "a forgery is confirmed",
          detail: "entry \(index + 1), changed at \(place + 1)")
      }
    }
  }

  /// Heads are made with random bytes: nobody finds out by trying what the text was.
  private func checkSalt(
    _ list: [HistoryEntry], _ receipts: [AppendReceipt], seals: Bool
  ) throws {
    let random = OtherSalts(seed: seed)
    let (_, others) = try store(list, seals: seals, random: random)
    guard zip(receipts, others).contains(where: { $0.head == $1.head }) else { return }
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

  /// A store with these entries, each appended alone.
  private func store(
    _ list: [HistoryEntry], seals: Bool, random: (any RandomBytes)? = nil
  ) throws -> (History?, [AppendReceipt]) {
    let writer = try StoreWriter(
      at: "/store", fileSystem: SimulatedFileSystem(), clock: FixedClock(),
      random: random ?? SeededBytes(seed: seed), options: .small)
    var receipts: [AppendReceipt] = []
    for entry in renumbered(list) { receipts += try writer.append([(document, [entry])]) }
    if seals { try writer.sealAll() }
    return (try writer.history(of: document), receipts)
  }
}

/// The random bytes of a seed, but for those behind the store's name: other salts.
private final class OtherSalts: RandomBytes {
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)

  init(seed: UInt64) { self.seed = seed }

  func bytes(_ count: Int) -> [UInt8] {
    let number = self.count.add(1, ordering: .relaxed).oldValue
    return SeededBytes(seed: number == 0 ? seed : seed &+ number).bytes(count)
  }
}
