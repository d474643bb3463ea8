import EditLog
import EditModel
import Replay
import TestSupport
import TextState

/// What a forged store says of itself, and what its owner's heads say.
struct ForgeVerdict {
  typealias Failure = StateCheck.Failure

  let store: ForgeStore
  let forgery: Forgery
  /// How it was found: for the last line.
  private(set) var how = How.harmless

  enum How: String, CaseIterable { case refused, verify, head, harmless }

  init(_ store: ForgeStore, _ forgery: Forgery) { (self.store, self.forgery) = (store, forgery) }

  /// - Throws: `Failure`.
  mutating func check(_ disk: SimulatedFileSystem, daemon: Bool) throws {
    let opened: Store
    do throws(LogError) { opened = try Store.open(at: "/store", fileSystem: disk) } catch {
      how = .refused
      return
    }
    let found = try findings(opened)
    if forgery.mustBeFound, found.isEmpty { throw failure("not found without a head", "") }
    var isHeadLost = false
    for document in store.documents {
      let history = (try? opened.history(of: document.name)) ?? nil
      let isConfirmed =
        (try? history?.confirms(document.kept.head, at: document.kept.lastSequence)) == true
      isHeadLost = isHeadLost || !isConfirmed
      guard isConfirmed, let history else { continue }
      let entries = entries(of: history, document)
      if found.isEmpty, entries != document.entries {
        throw failure("confirmed by verify --head, and changed", document.name.name)
      }
      try readVerified(history, document)
    }
    if !found.isEmpty { try write(disk) }
    if daemon { try serve(disk) }
    how = !found.isEmpty ? .verify : isHeadLost ? .head : .harmless
  }

  /// A store that was not forged is sound, or nothing here would mean anything.
  static func checkSound(_ store: ForgeStore) throws {
    let opened = try Store.open(at: "/store", fileSystem: SimulatedFileSystem(store.snapshot))
    let found = try ForgeVerdict(store, Forgery("nothing", files: [:])).findings(opened)
    guard found.isEmpty else { throw Failure(what: "a false alarm", detail: "\(found)") }
  }

  private func failure(_ what: String, _ detail: String) -> Failure {
    Failure(what: what, detail: "\(forgery.what) \(detail)")
  }

  /// What `verify` tells without any head.
  private func findings(_ opened: Store) throws -> [String] {
    let report: VerificationReport
    do { report = try opened.verify(CheckpointComparison()) } catch { return ["\(error)"] }
    return (report.problems + report.badCheckpoints).map { "\($0.error)" }
      + report.losses.filter { $0.acceptedTime == nil }.map { "\($0)" }
      + report.damages.keys.map { "\($0)" } + report.tornEnds.map(\.file) + report.unknownFiles
      + report.quarantined
  }

  /// The entries through the kept head; nil if they cannot be read.
  private func entries(of history: History, _ document: ForgeStore.Document) -> [HistoryEntry]? {
    var entries: [HistoryEntry] = []
    do { try history.forEachEntry { entries.append($0) } } catch { return nil }
    return entries
  }

  /// Reading with `--verified --head`: what it gives is what was acknowledged.
  private func readVerified(_ history: History, _ document: ForgeStore.Document) throws {
    guard (try? history.checkLinks(through: document.kept.lastSequence)) != nil else { return }
    let replay = Replay(history, isVerified: true)
    let last = document.states.count - 1
    for sequence in [last, last / 2, 1] {
      let state = try? replay.state(at: .sequence(SequenceNumber(sequence)))
      if let state, state != document.states[sequence] {
        throw failure("a forged text is read as verified", "at \(sequence)")
      }
    }
    if (try? replay.check()) != nil, let found = entries(of: history, document),
      found != document.entries
    {
      throw failure("forged entries are read as verified", document.name.name)
    }
    // By their bytes: labels that are canonically equivalent are two.
    var marks: [[UInt8]: (label: String, sequence: SequenceNumber)] = [:]
    for case .event(let event) in document.entries {
      if case .mark(let label, let at) = event.kind { marks[Array(label.utf8)] = (label, at) }
    }
    for (label, sequence) in marks.values {
      guard let found = try? replay.sequence(of: .mark(label)), found != sequence else { continue }
      throw failure("a forged mark is read as verified", label)
    }
  }

  /// A writer starts, works and stops on what a check found: then the check finds it still, or
  /// everything that was acknowledged is there.
  private func write(_ disk: SimulatedFileSystem) throws {
    let copy = SimulatedFileSystem(disk.snapshot)
    do {
      let writer = try StoreWriter(
        at: "/store", fileSystem: copy, random: SeededBytes(seed: 5), options: .small)
      for document in store.documents {
        let last = (try? writer.lastSequence(of: document.name)) ?? nil
        let edit = HistoryEntry.edit(
          Edit(
            sequence: (last ?? 0) + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "on"),
            time: Timestamp(nanoseconds: 1 << 59)))
        if last != nil { _ = try? writer.append([(document.name, [edit])]) }
        try? writer.seal(document.name)
        if let job = (try? writer.prepareCompaction(document.name)) ?? nil {
          job.run()
          try? writer.finish(job)
        }
      }
      try? writer.sealAll()
      if let violation = writer.invariantViolation() {
        throw failure("the writer's memory is inconsistent", violation)
      }
      try? writer.close()
    } catch is LogError { return }
    guard let opened = try? Store.open(at: "/store", fileSystem: copy) else { return }
    guard try findings(opened).isEmpty else { return }
    for document in store.documents {
      let history = (try? opened.history(of: document.name)) ?? nil
      let found = history.flatMap { entries(of: $0, document) } ?? []
      guard found.starts(with: document.entries) else {
        throw failure("a writer made it look sound, and entries are gone", document.name.name)
      }
    }
  }

  /// What the daemon shows once it has checked: the text that was acknowledged, or none, or one
  /// that the kept head does not confirm.
  private func serve(_ disk: SimulatedFileSystem) throws {
    let writer: StoreWriter
    do {
      writer = try StoreWriter(
        at: "/store", fileSystem: disk, random: SeededBytes(seed: 5), options: .small)
    } catch { return }
    for document in store.documents {
      if let state = text(of: document, writer), state != document.states.last {
        throw failure("the daemon builds on a forged state", "before the check")
      }
      if let job = try? writer.prepareCheck(document.name, CheckpointComparison()) {
        job.run()
        try? writer.finish(job)
      }
      if let state = text(of: document, writer), state != document.states.last {
        throw failure("the daemon shows a forged text", document.name.name)
      }
    }
  }

  /// The newest text, if the kept head is confirmed and every link to it holds, but for what the
  /// blocks themselves say before the check.
  private func text(of document: ForgeStore.Document, _ writer: StoreWriter) -> TextState? {
    guard let history = (try? writer.history(of: document.name)) ?? nil,
      history.lastSequence == document.kept.lastSequence,
      (try? history.confirms(document.kept.head, at: document.kept.lastSequence)) == true,
      (try? history.checkLinks()) != nil
    else { return nil }
    return try? Replay(history).state(at: .latest)
  }
}
