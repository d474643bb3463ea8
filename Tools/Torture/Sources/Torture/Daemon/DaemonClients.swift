import EditClient
import EditLog
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Clients of a daemon that number their requests and send them until they are acknowledged, and
/// what was acknowledged to them.
final class DaemonClients: Sendable {
  struct Ack: Hashable, Sendable {
    var session: SessionID
    var counter: UInt64
    var document: DocumentID
    var sequence: SequenceNumber
  }

  /// What may be chosen.
  struct Options: Sendable {
    /// UTF-16 units in each edit, at least.
    var textSize = 0
    /// Of this many edits of a client, one is too large for the journal.
    var largeEvery: UInt64 = 100
    /// How many requests of a client wait for their answers.
    var windowCountMax = 4
    /// How long a client tries without an acknowledgement.
    var patience = Duration.seconds(30)
  }

  private let socket: String
  private let options: Options
  private let acks = Mutex<[Ack]>([])
  private let sent = Mutex<[SessionID: UInt64]>([:])
  private let refusals = Mutex<[String]>([])
  private let isStopping = Atomic<Bool>(false)
  private let running = Mutex<[Task<Void, Never>]>([])

  init(socket: String, options: Options = Options()) {
    (self.socket, self.options) = (socket, options)
  }

  /// What was acknowledged so far.
  var acknowledged: [Ack] { acks.withLock { $0 } }
  /// How many were acknowledged so far.
  var count: Int { acks.withLock { $0.count } }
  /// What a client gave up with.
  var failures: [String] { refusals.withLock { $0 } }

  /// Starts `count` clients, each with a session of its own; each document has several.
  func start(count: Int, seed: UInt64) {
    isStopping.store(false, ordering: .relaxed)
    let tasks = (0..<count).compactMap { number -> Task<Void, Never>? in
      guard let session = SessionID("s\(seed)-\(number)") else { return nil }
      let document = name("d\(number % 3)")
      return Task.detached { await self.run(session, document) }
    }
    running.withLock { $0 = tasks }
  }

  /// Lets each client finish what it has sent, and waits for that.
  func finish() throws {
    isStopping.store(true, ordering: .relaxed)
    let tasks = running.withLock { $0 }
    try blocking { for task in tasks { await task.value } }
  }

  private func run(_ session: SessionID, _ document: DocumentID) async {
    var options = ResilientAppender.Options()
    (options.windowCountMax, options.patience) = (
      self.options.windowCountMax, self.options.patience
    )
    let padding = String(repeating: ".", count: self.options.textSize)
    let large = String(repeating: "large ", count: 1 << 17)
    (options.pauseMin, options.pauseMax) = (.microseconds(500), .milliseconds(4))
    do {
      guard let appender = try await connect(session, document, options) else { return }
      var counter: UInt64 = 0
      while !isStopping.load(ordering: .relaxed) {
        counter += 1
        let isLarge = counter % self.options.largeEvery == 0
        let text = UTF16Text("\(session.name):\(counter);" + (isLarge ? large : padding))
        let request = AppendRequest(
          document: document,
          edits: [AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: text))])
        try await appender.append(request)
        sent.withLock { [counter] in $0[session] = counter }
      }
      try await appender.flush()
      await appender.close()
    } catch { refusals.withLock { $0.append("\(session): \(error)") } }
  }

  /// Connects, and tries again until it succeeds: the appender itself does not wait for the first
  /// connection. Nil if there was none until the end.
  private func connect(
    _ session: SessionID, _ document: DocumentID, _ options: ResilientAppender.Options
  ) async throws -> ResilientAppender? {
    var tries = 0
    while !isStopping.load(ordering: .relaxed) {
      do throws(ProtocolError) {
        return try await ResilientAppender.connect(
          to: socket, session: session, options: options
        ) { counter, result in
          guard case .success(let result) = result else { return }
          let ack = Ack(
            session: session, counter: counter, document: document, sequence: result.sequence)
          self.acks.withLock { $0.append(ack) }
        }
      } catch {
        tries += 1
        guard tries < 10_000 else { throw error }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    return nil
  }

  /// Compares a store with what was acknowledged: each is there once and at its place, each other
  /// request at most once, and those of a session in their order, without a gap.
  ///
  /// - Throws: `StateCheck.Failure`; what the store cannot be read with.
  func check(_ path: String, acknowledged: [Ack], allowsGaps: Bool = false) throws {
    let store = try Store.open(at: path)
    guard store.damages.isEmpty else {
      throw StateCheck.Failure(what: "damage", detail: "\(store.damages)")
    }
    var places: [SessionID: [UInt64: SequenceNumber]] = [:]
    for document in try store.documentNumbers().keys {
      for case .edit(let edit) in try entries(store.history(of: document)) {
        guard let session = edit.session else { continue }
        let before = places[session, default: [:]].updateValue(edit.sequence, forKey: edit.counter)
        guard before == nil else {
          throw StateCheck.Failure(what: "doubled", detail: "\(session) \(edit.counter)")
        }
        guard allowsGaps || edit.counter == 1 || places[session]?[edit.counter - 1] != nil else {
          throw StateCheck.Failure(what: "out of order", detail: "\(session) \(edit.counter)")
        }
      }
    }
    for ack in acknowledged where places[ack.session]?[ack.counter] != ack.sequence {
      let place = places[ack.session]?[ack.counter].map { "at \($0)" } ?? "missing"
      throw StateCheck.Failure(
        what: "lost", detail: "\(ack.session) \(ack.counter): \(place), not \(ack.sequence)")
    }
  }
}
