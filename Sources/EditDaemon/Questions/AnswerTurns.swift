import EditQueries
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Synchronization

/// Shares a few places among all work on answers: questions, and deliveries of subscriptions.
///
/// - New work begins first, so that a short answer waits for no long one.
/// - Work that has used its time gives way while others wait. From then on it is long, and has a turn
///   now and then. While new work comes without end, every second turn is for long work.
/// - Among equals, processes share the processor time, then the connections of each. So a client with a
///   hundred questions has the same share as one with one. Within their shares, who usually takes little
///   is first.
/// - Some work cannot give way for a while, such as the comparison of two texts. So new work of a connection
///   for which none goes on begins beside it: the first after each `overdueTime`.
/// - Long work that has given way keeps its thread and its memory, so its number is bounded. Beyond the
///   bound it ends, and begins again when there is room.
final class AnswerTurns: Sendable {
  /// Nanoseconds of processor time after which work gives way: if new work waits, and if other long work
  /// does.
  static let (shortTime, longTime): (UInt64, UInt64) = (5_000_000, 50_000_000)
  /// The maximum number of long answers that are begun.
  static let longCountMax = 16

  private struct State {
    var countMax: Int
    /// The work that has its turn, and what of it is long.
    var workingCount = 0
    var workingLongCount = 0
    /// Work that is not begun: new work, and long work that begins again.
    var waiting: [AnswerTurn] = []
    /// Long work that has given way.
    var paused: [AnswerTurn] = []
    /// The greatest times of processes that were served.
    var newPeerTime: UInt64 = 0
    var longPeerTime: UInt64 = 0
    /// What was served last.
    var lastKind = WorkKind.long
    /// True if `beginOverdue` is called soon.
    var hasTimer = false

    /// The long work that is begun.
    var longCount: Int { workingLongCount + paused.count }

    func peerTime(of kind: WorkKind) -> UInt64 { kind == .new ? newPeerTime : longPeerTime }
  }

  private let state: NIOLockedValueBox<State>
  /// The number of new answers that wait.
  private let newCount = Synchronization.Atomic<Int>(0)
  private let overdueTime: TimeAmount?

  /// Places for this number of answers.
  init(_ countMax: Int, overdueTime: TimeAmount? = .milliseconds(10)) {
    state = NIOLockedValueBox(State(countMax: countMax))
    self.overdueTime = overdueTime
  }

  /// The work that has its turn, that is not begun, and that has given way.
  var workingCount: Int { state.withLockedValue { $0.workingCount } }
  var waitingCount: Int { state.withLockedValue { $0.waiting.count } }
  var pausedCount: Int { state.withLockedValue { $0.paused.count } }

  /// Uses another number of places.
  func use(_ countMax: Int) {
    state.withLockedValue { $0.countMax = countMax }
    beginNext()
  }

  func add(_ turn: AnswerTurn) {
    state.withLockedValue { state in
      turn.client.beginWaiting(for: turn.kind, after: state.peerTime(of: turn.kind))
      state.waiting.append(turn)
      note(state)
    }
    beginNext()
    waitForOverdue()
  }

  /// Runs `body` when its turn comes, and again if it was set back. Long loops in it must pass the work
  /// that it gets.
  func run<Value: Sendable>(
    for client: QuestionClient, _ body: @escaping @Sendable (QuestionWork) async -> Value
  ) async -> Value {
    let turn = AnswerTurn(client, self, mayRestart: true)
    let work = QuestionWork(giveWay: { !client.isGone && turn.pass() })
    while true {
      await withCheckedContinuation { continuation in
        turn.wait(
          AnswerTurn.Calls(
            begin: { continuation.resume() }, drop: { continuation.resume() },
            isWanted: { true }))
      }
      let value = await withTaskExecutorPreference(turn) { await body(work) }
      let isSetBack = turn.isSetBack.load(ordering: .relaxed)
      turn.end()
      if !isSetBack { return value }
    }
  }

  func pass(_ turn: AnswerTurn) -> Bool {
    let time = newCount.load(ordering: .relaxed) > 0 ? Self.shortTime : Self.longTime
    return !turn.hasUsed(time) || giveWay(turn)
  }

  func end(_ turn: AnswerTurn) {
    state.withLockedValue { state in
      turn.charge()
      turn.client.workingCount -= 1
      state.workingCount -= 1
      if turn.kind == .long { state.workingLongCount -= 1 }
    }
    beginNext()
  }

  /// Drops the waiting work that is not wanted any more, and lets what has given way find that out.
  func dropUnwanted() {
    let (dropped, resumed) = state.withLockedValue { state in
      let dropped = state.waiting.filter { !$0.isWanted }
      state.waiting.removeAll { turn in dropped.contains { $0 === turn } }
      let resumed = state.paused.filter { !$0.isWanted }
      state.paused.removeAll { turn in resumed.contains { $0 === turn } }
      for turn in resumed { place(turn, &state) }
      note(state)
      return (dropped, resumed)
    }
    for turn in dropped { turn.drop() }
    for turn in resumed { turn.resume() }
  }

  // MARK: Work that cannot give way

  private func waitForOverdue() {
    guard let overdueTime, newCount.load(ordering: .relaxed) > 0 else { return }
    let isFirst = state.withLockedValue { state in
      defer { state.hasTimer = true }
      return !state.hasTimer
    }
    guard isFirst else { return }
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: overdueTime) { [weak self] in
      self?.beginOverdue()
    }
  }

  /// Begins new work although no place is free.
  private func beginOverdue() {
    let turn = state.withLockedValue { state -> AnswerTurn? in
      state.hasTimer = false
      guard state.workingCount < state.countMax + Self.longCountMax,
        let turn = first(
          of: state.waiting, where: { $0.kind == .new && $0.client.workingCount == 0 })
      else { return nil }
      begin(turn, &state)
      return turn
    }
    turn?.begin()
    waitForOverdue()
  }

  // MARK: Choosing

  private enum Pause { case none, pauses, isSetBack }

  private func giveWay(_ turn: AnswerTurn) -> Bool {
    let pause = state.withLockedValue { state -> Pause in
      // A question with several threads passes from each.
      guard !state.paused.contains(where: { $0 === turn }) else { return .none }
      turn.charge()
      if turn.kind == .new {
        turn.becomeLong()
        turn.client.beginWaiting(for: .long, after: state.longPeerTime)
        state.workingLongCount += 1
      }
      // Whoever is not wanted ends soon by itself.
      guard turn.isWanted, let next = next(in: state),
        next.kind == .new || next.deadline < turn.deadline
      else { return .none }
      if turn.mayRestart.load(ordering: .relaxed), state.longCount > Self.longCountMax {
        turn.isSetBack.store(true, ordering: .relaxed)
        return .isSetBack
      }
      turn.client.workingCount -= 1
      state.workingCount -= 1
      state.workingLongCount -= 1
      state.paused.append(turn)
      return .pauses
    }
    guard pause == .pauses else { return pause == .none }
    beginNext()
    turn.pause()
    return true
  }

  private func beginNext() {
    while let (turn, isPaused) = takeNext() {
      if isPaused { turn.resume() } else { turn.begin() }
    }
  }

  private func takeNext() -> (AnswerTurn, isPaused: Bool)? {
    state.withLockedValue { state in
      guard state.workingCount < state.countMax, let turn = next(in: state) else { return nil }
      let isPaused = state.paused.contains { $0 === turn }
      begin(turn, &state)
      return (turn, isPaused)
    }
  }

  private func begin(_ turn: AnswerTurn, _ state: inout State) {
    state.waiting.removeAll { $0 === turn }
    state.paused.removeAll { $0 === turn }
    state.lastKind = turn.kind
    let peerTime = turn.client.noteServed(turn.kind)
    if turn.kind == .new {
      state.newPeerTime = max(state.newPeerTime, peerTime)
    } else {
      state.longPeerTime = max(state.longPeerTime, peerTime)
    }
    place(turn, &state)
    note(state)
  }

  /// The work whose turn is next; nil if none waits for which there is room.
  private func next(in state: State) -> AnswerTurn? {
    let hasRoom = state.longCount < Self.longCountMax
    let new = first(of: state.waiting) { $0.kind == .new }
    let begun = first(of: state.paused) { _ in true }
    let restarted =
      hasRoom ? first(of: state.waiting) { $0.kind == .long } : nil
    let long = first(of: [begun, restarted].compactMap { $0 }) { _ in true }
    guard let new, let long else { return new ?? long }
    return state.lastKind == .new && state.workingLongCount == 0 ? long : new
  }

  private func first(
    of turns: [AnswerTurn], where isChosen: (AnswerTurn) -> Bool
  ) -> AnswerTurn? {
    turns.lazy.filter(isChosen).min { $0.deadline < $1.deadline }
  }

  private func place(_ turn: AnswerTurn, _ state: inout State) {
    turn.client.workingCount += 1
    state.workingCount += 1
    if turn.kind == .long { state.workingLongCount += 1 }
    turn.isSetBack.store(false, ordering: .relaxed)
    turn.beginClock()
  }

  private func note(_ state: State) {
    newCount.store(
      state.waiting.count { $0.kind == .new }, ordering: .relaxed)
  }
}
