import EditLog
import EditModel
import TestSupport

/// One case: a store at one moment, one or two damages before one of the steps that follow, and
/// what it says after each of them.
struct MissingCase {
  typealias Failure = StateCheck.Failure

  /// What is done in turn; a damage comes before one of them.
  enum Step: String, CaseIterable { case start, append, seal, stop, read }

  private let moments: [MissingStore.Moment]
  private var begin: Int
  private let disk: SimulatedFileSystem
  private var random: SplitMix64
  private var source: MissingSource
  private var known: KnownStore
  private var silence = MissingSilence()
  private var writer: StoreWriter?
  private var story: [String]
  private var startCount: UInt64 = 0
  /// True if every damage was done before the writer was opened: it has seen what is missing.
  private var isDamagedBeforeStart = false
  /// Damages done.
  private(set) var count = 0

  init(_ store: MissingStore, moment: Int, seed: UInt64) {
    (moments, begin) = (store.moments, moment)
    disk = SimulatedFileSystem(store.moments[moment].snapshot)
    (random, source) = (SplitMix64(seed: seed), MissingSource(seed: seed))
    known = store.moments[moment].known
    story = [store.moments[moment].name]
  }

  /// A writer on a disk, its times after those of all before it. Every other one gives each sealing
  /// a segment of its own; the others let segments grow, so that there are older copies of them.
  static func open(_ disk: SimulatedFileSystem, seed: UInt64) throws(LogError) -> StoreWriter {
    var options = StoreWriter.Options.small
    (options.segmentSizeMax, options.compactionSizeMin) = (seed % 2 == 0 ? 1 : 6_000, 1)
    if seed % 3 == 0 { options.loneSegmentSizeMax = 2_000 }
    return try StoreWriter(
      at: "/store", fileSystem: disk,
      clock: FixedClock(nanoseconds: 1_700_000_000_000_000_000 + Int64(seed % 1_000_000)),
      random: SeededBytes(seed: seed), options: options)
  }

  /// - Throws: `Failure`.
  mutating func run() throws {
    let steps = Step.allCases
    // Most come while nothing is open.
    let dues = (0...(random.below(4) == 0 ? 1 : 0)).map { _ in
      random.below(2) == 0 ? 0 : random.below(steps.count)
    }
    for (number, step) in steps.enumerated() {
      for due in dues where due == number { try damage(before: step) }
      if count > 0 { try read() }
      if number > 0, step != .read, writer == nil { continue }
      story.append(step.rawValue)
      try take(step)
    }
    try resume()
  }

  private mutating func damage(before step: Step) throws {
    var known = moments[...begin]
    // While a writer is at work there are copies of what was there before it.
    if disk.files == moments[begin].files { known = moments[..<begin] }
    // What was given up as lost does not come back.
    if count > 0, step != .start { known = [] }
    guard let damage = MissingDamage.random(disk, known, &random) else { return }
    try damage.apply(to: disk, moments)
    count += 1
    isDamagedBeforeStart = false
    story.append("\(damage)")
    silence.note(damage, moments)
    if damage.path == "/store", case .older(let moment) = damage.kind {
      self.known = moments[moment].known
      begin = moment
      writer = nil
    }
  }

  /// What was done so far, for messages.
  var context: String { story.joined(separator: "; ") }

  private func verdict() -> MissingVerdict { MissingVerdict(known, silence, context) }

  /// A store that was not damaged is whole, and says so, or nothing here would mean anything.
  static func checkSound(_ store: MissingStore, moment: Int) throws {
    let one = MissingCase(store, moment: moment, seed: 1)
    var verdict = one.verdict()
    try verdict.read(one.disk)
    let mayBeShort = one.known.documents.contains(where: \.isShort)
    guard verdict.isShort == mayBeShort, mayBeShort || !verdict.isReported else {
      throw verdict.failure("a false alarm", "")
    }
  }

  private func read() throws {
    var verdict = verdict()
    try verdict.read(disk)
  }

  // MARK: Steps

  private mutating func take(_ step: Step) throws {
    switch step {
    case .start: try start()
    case .append: try append()
    case .seal: try seal()
    case .stop: try stop()
    case .read: break
    }
  }

  /// A writer that opens the store says what is lost, or refuses.
  private mutating func start() throws {
    startCount += 1
    writer = nil
    let opened: StoreWriter
    do throws(LogError) {
      opened = try Self.open(disk, seed: random.next() % 1_000 + startCount * 1_000)
    } catch { return try verdict().checkNamed(error) }
    (writer, isDamagedBeforeStart) = (opened, count > 0)
    var verdict = verdict()
    let lists = try verdict.read(opened)
    for (index, list) in lists.enumerated() {
      if let list { takeOver(list, index) }
    }
    known.mark()
  }

  /// The document continues from what a writer shows of it.
  private mutating func takeOver(_ list: [HistoryEntry], _ index: Int) {
    let document = known.documents[index]
    if list == document.entries + document.perhaps { known.documents[index].entries = list }
    known.documents[index].perhaps = []
    guard list != known.documents[index].entries else { return }
    // A silent loss is allowed only if no file could show it.
    let isSilent = silence.allows(list, of: known.documents[index])
    known.documents[index].entries = list
    known.documents[index].kept = nil
    known.documents[index].isShort = known.documents[index].isShort || !isSilent
  }

  /// Appends an edit to each document, and one to a new one.
  private mutating func append() throws {
    guard let writer else { return }
    for index in known.documents.indices { try append(index, writer) }
    let name = name("new\(startCount) \(known.numbers.count)")
    let entries = source.entries(after: [], count: 1)
    do throws(LogError) { _ = try writer.append([(name, entries)]) } catch { return }
    let number = try writer.history(of: name)?.number ?? 0
    if !known.numbers.insert(number).inserted, !isForgiven(number) {
      throw verdict().failure("a number is given twice", "document \(number)")
    }
    known.documents.append(
      KnownDocument(number: number, names: [name], entries: entries, markedCount: 0))
  }

  /// True if no file could tell that there was a document of this number.
  private func isForgiven(_ number: UInt64) -> Bool {
    let document = known.documents.first { $0.number == number }
    return document.map { silence.allows([], of: $0) } ?? silence.hidesLosses
  }

  private mutating func append(_ index: Int, _ writer: StoreWriter) throws {
    let document = known.documents[index]
    guard
      let history = try? document.names.lazy.compactMap({ try writer.history(of: $0) }).first
    else { return }
    let list: [HistoryEntry]?
    var isGap = false
    do { list = try entries(history) } catch {
      list = nil
      isGap = "\(error)".contains("is missing")
    }
    let last = MissingText.lastSequence(of: document.entries)
    guard list != nil || history.lastSequence == last else { return }
    let new = source.entries(after: list ?? document.entries, count: 1)
    let receipt: AppendReceipt?
    let isByJob = random.below(3) == 0
    do throws(LogError) {
      receipt = try writer.append(new, to: history.document, byJob: isByJob)
    } catch {
      if !writer.isUsable, let list, list == document.entries {
        known.documents[index].perhaps = new
      }
      return
    }
    if isGap, isDamagedBeforeStart {
      throw verdict().failure("appended after a gap", "\(history.document)")
    }
    if let list { takeOver(list, index) }
    known.documents[index].entries += new
    if isByJob { known.mark() }
    if !known.documents[index].isShort { known.documents[index].kept = receipt }
  }

  private mutating func seal() throws {
    guard let writer else { return }
    if random.below(2) == 0 { try? writer.confirm() }
    if random.below(2) == 0 { try? writer.markDurable() }
    if writer.isUsable, !writer.hasUnmarkedBatches { known.mark() }
    if random.below(2) == 0 { try? writer.sealAll() }
  }

  /// A writer is closed, or killed once the mark says how far all is durable.
  private mutating func stop() throws {
    guard let writer else { return }
    do throws(LogError) {
      if random.below(2) == 0 { try writer.close() } else { try writer.markDurable() }
      known.mark()
    } catch {}
    self.writer = nil
  }

  // MARK: What stays

  /// Started and stopped again, what is lost is known still; accepted, it is listed, and all goes
  /// on.
  private mutating func resume() throws {
    try start()
    guard writer != nil else { return }
    try append()
    try stop()
    try read()
    try start()
    guard writer != nil else { return }
    try accept()
    try append()
    try stop()
    try start()
    try checkAccepted()
    try stop()
    try read()
  }

  private mutating func accept() throws {
    guard let writer else { return }
    let accepted: [StoreLoss]
    do throws(LogError) {
      accepted = try writer.acceptLosses()
      _ = try writer.repair()
    } catch { throw verdict().failure("losses cannot be accepted", "\(error)") }
    known.hasAccepted = known.hasAccepted || !accepted.isEmpty
    story.append("accept")
    var verdict = verdict()
    verdict.isAccepted = true
    let lists = try verdict.read(writer)
    for (index, list) in lists.enumerated() {
      guard let list else {
        throw verdict.failure("not read after its loss was accepted", "\(index)")
      }
      known.documents[index].entries = list
      known.documents[index].kept = nil
      known.documents[index].isShort = false
    }
    try checkAccepted()
  }

  /// Nothing is left that was not accepted.
  private func checkAccepted() throws {
    guard let writer else { throw verdict().failure("no start after losses were accepted", "") }
    if let loss = writer.losses.first(where: { $0.acceptedTime == nil }) {
      throw verdict().failure("a loss comes back after it was accepted", "\(loss)")
    }
    for document in known.documents {
      let name = document.names[0]
      guard let history = try writer.history(of: name) else { continue }
      guard history.damage.allSatisfy(\.isAccepted) else {
        throw verdict().failure("a gap comes back after it was accepted", "\(name)")
      }
    }
  }
}

extension StoreWriter {
  /// Appends entries to a document: through the journal, or by a job, straight into a segment.
  func append(
    _ entries: [HistoryEntry], to document: DocumentID, byJob: Bool
  ) throws(LogError) -> AppendReceipt? {
    guard byJob else { return try append([(document, entries)]).first }
    let job = try prepareAppend(entries, to: document)
    job.run()
    try finish(job)
    try markDurable()
    return job.receipt
  }
}
