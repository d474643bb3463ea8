import Synchronization

/// A connection for which answers are made, as `AnswerTurns` knows it.
final class QuestionClient: Sendable {
  /// The process at the other end.
  let peer: QuestionPeer
  private let hasLeft = Atomic<Bool>(false)
  /// The nanoseconds of processor time that its answers took so far, or more.
  private let time = Atomic<UInt64>(0)

  init(peer: QuestionPeer = QuestionPeer()) { self.peer = peer }

  /// True once the connection has ended.
  var isGone: Bool { hasLeft.load(ordering: .relaxed) }
  func leave() { hasLeft.store(true, ordering: .relaxed) }

  /// Adds the time that an answer took.
  func charge(_ nanoseconds: UInt64) {
    time.add(nanoseconds, ordering: .relaxed)
    peer.time.add(nanoseconds, ordering: .relaxed)
  }

  /// Called when it waits, with the time of the process that was served last. Neither a process nor a
  /// connection that asked for nothing while others were served saves up time, and a new one has none saved.
  func beginWaiting(after peerTime: UInt64) {
    peer.time.max(peerTime, ordering: .relaxed)
    time.max(peer.servedTime.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// Notes that it is served.
  func noteServed() {
    peer.servedTime.store(time.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// Who took less time is served first: processes are compared, then the connections of a process.
  var share: (peer: UInt64, connection: UInt64) {
    (peer.time.load(ordering: .relaxed), time.load(ordering: .relaxed))
  }
}

/// A process that has connections.
final class QuestionPeer: Sendable {
  /// The nanoseconds of processor time that its answers took so far, or more.
  fileprivate let time = Atomic<UInt64>(0)
  /// The time of its connection that was served last.
  fileprivate let servedTime = Atomic<UInt64>(0)
}
