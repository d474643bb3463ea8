import Synchronization

/// A connection for which answers are made, as `AnswerTurns` knows it.
final class QuestionClient: Sendable {
  /// The process at the other end.
  let peer: QuestionPeer
  private let hasLeft = Atomic<Bool>(false)
  private let new = WorkShare()
  private let long = WorkShare()
  private let working = Atomic<Int>(0)

  init(peer: QuestionPeer = QuestionPeer()) { self.peer = peer }

  /// True once the connection has ended.
  var isGone: Bool { hasLeft.load(ordering: .relaxed) }
  func leave() { hasLeft.store(true, ordering: .relaxed) }

  /// The number of its answers that have their turn.
  var workingCount: Int {
    get { working.load(ordering: .relaxed) }
    set { working.store(newValue, ordering: .relaxed) }
  }

  /// Adds the processor time that work took, in nanoseconds.
  func charge(_ nanoseconds: UInt64, for kind: WorkKind) {
    share(of: kind).charge(nanoseconds)
    peer.share(of: kind).charge(nanoseconds)
  }

  /// Called when work of it waits, with the greatest time of a process that was served.
  func beginWaiting(for kind: WorkKind, after peerTime: UInt64) {
    peer.share(of: kind).begin(after: peerTime)
    share(of: kind).begin(after: peer.share(of: kind).servedTime)
  }

  /// Notes that work of it is served. Returns the time of its process.
  func noteServed(_ kind: WorkKind) -> UInt64 {
    peer.share(of: kind).noteServed(share(of: kind).time)
    return peer.share(of: kind).time
  }

  /// Its virtual deadline: processes are compared, then the connections of a process.
  func deadline(of kind: WorkKind) -> (peer: UInt64, connection: UInt64) {
    (peer.share(of: kind).deadline, share(of: kind).deadline)
  }

  private func share(of kind: WorkKind) -> WorkShare { kind == .new ? new : long }
}

/// A process that has connections.
final class QuestionPeer: Sendable {
  private let new = WorkShare()
  private let long = WorkShare()

  fileprivate func share(of kind: WorkKind) -> WorkShare { kind == .new ? new : long }
}

/// What a connection or a process took of one kind of work, in nanoseconds of processor time. Each kind is
/// shared for itself, so that a long answer does not delay the short ones of its client.
///
/// Read and changed only while `AnswerTurns` holds its lock.
private final class WorkShare: Sendable {
  /// The maximum of the time that is saved up.
  private static let savedMax = AnswerTurns.shortTime
  /// The time that a new one is taken to have had.
  private static let debit = AnswerTurns.shortTime

  private let hasBegun = Atomic(false)
  private let taken = Atomic<UInt64>(0)
  /// What its turns take: an exponential moving average of weight ½.
  private let usual = Atomic<UInt64>(AnswerTurns.shortTime)
  private let served = Atomic<UInt64>(0)

  /// Its virtual time: what it took so far, or more.
  var time: UInt64 { taken.load(ordering: .relaxed) }

  /// The virtual time at which its next turn will end, if it takes as long as usual. The earliest is served
  /// first, as in fair queueing (Demers, Keshav and Shenker 1989): so who asks for little is served before
  /// those that ask for much, or of whom nothing is known, and all get the same share.
  var deadline: UInt64 { time + usual.load(ordering: .relaxed) }

  /// Of a process: the greatest time of a connection that was served.
  var servedTime: UInt64 { served.load(ordering: .relaxed) }

  func noteServed(_ time: UInt64) { served.max(time, ordering: .relaxed) }

  func charge(_ nanoseconds: UInt64) {
    taken.add(nanoseconds, ordering: .relaxed)
    let last = usual.load(ordering: .relaxed)
    usual.store((last + nanoseconds) / 2, ordering: .relaxed)
  }

  /// Begins to wait, when `served` is the greatest time of one that was served. Who asked for little while
  /// others were served has saved up a little time. A new one has a debit: else those that come without end
  /// would be before those that are there, for ever.
  func begin(after served: UInt64) {
    let isNew = !hasBegun.exchange(true, ordering: .relaxed)
    taken.max(
      isNew ? served + Self.debit : served - min(served, Self.savedMax), ordering: .relaxed)
  }
}
