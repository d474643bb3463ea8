import EditQueries
import Synchronization
import Testing

@testable import EditDaemon

/// How the places for work on answers are shared.
@Suite(.timeLimit(.minutes(5))) struct AnswerTurnsTests {
  /// Work that goes on until it is told to end, or has to begin again.
  private static func work(_ work: QuestionWork, until isDone: () -> Bool) {
    while !isDone(), !work.isOver {}
  }

  @Test func shortAnswersAreMadeWhileLongOnesGoOn() async {
    let turns = AnswerTurns(1)
    let isDone = Atomic<Bool>(false)
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<3 {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { work in
            Self.work(work) { isDone.load(ordering: .relaxed) }
          }
        }
      }
      for _ in 0..<20 { await turns.run(for: QuestionClient()) { _ in } }
      isDone.store(true, ordering: .relaxed)
    }
  }

  /// While short ones come without end, the long one has its turns too.
  @Test func longAnswersGoOnWhileShortOnesCome() async {
    let turns = AnswerTurns(1)
    let isDone = Atomic<Bool>(false)
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<4 {
        tasks.addTask {
          while !isDone.load(ordering: .relaxed) {
            await turns.run(for: QuestionClient()) { _ in }
          }
        }
      }
      let count = Atomic<Int>(0)
      await turns.run(for: QuestionClient()) { work in
        let end = ContinuousClock.now + .milliseconds(100)
        Self.work(work) { ContinuousClock.now >= end }
        count.add(1, ordering: .relaxed)
      }
      #expect(count.load(ordering: .relaxed) > 0)
      isDone.store(true, ordering: .relaxed)
    }
  }

  /// The connections of one process have one share, however many they are.
  @Test func aProcessWithManyQuestionsHasTheShareOfOne() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let (many, one) = (QuestionPeer(), QuestionPeer())
    let order = Mutex<[Bool]>([])
    let isHeld = Atomic<Bool>(true)
    await withDiscardingTaskGroup { tasks in
      // All others wait for this one, which never passes.
      tasks.addTask {
        await turns.run(for: QuestionClient(peer: many)) { _ in
          while isHeld.load(ordering: .relaxed) { await Task.yield() }
        }
      }
      func ask(_ peer: QuestionPeer, _ isOne: Bool) {
        tasks.addTask {
          await turns.run(for: QuestionClient(peer: peer)) { _ in
            let end = ContinuousClock.now + .milliseconds(2)
            while ContinuousClock.now < end {}
            order.withLock { $0.append(isOne) }
          }
        }
      }
      for _ in 0..<100 { ask(many, false) }
      for _ in 0..<5 { ask(one, true) }
      while turns.waitingCount < 105 { await Task.yield() }
      isHeld.store(false, ordering: .relaxed)
    }
    // They take turns, one for one, as long as both have some.
    #expect(order.withLock { $0.prefix(12).count { $0 } } == 5)
  }

  /// Work that gives way to nobody delays new work only for a moment.
  @Test func newWorkBeginsBesideWorkThatCannotGiveWay() async {
    let turns = AnswerTurns(2)
    let isDone = Atomic<Bool>(false)
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<2 {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { _ in
            while !isDone.load(ordering: .relaxed) { await Task.yield() }
          }
        }
      }
      for _ in 0..<20 { await turns.run(for: QuestionClient()) { _ in } }
      isDone.store(true, ordering: .relaxed)
    }
  }

  /// More long answers than are kept begun: some begin again, and all are made.
  @Test func longAnswersBeyondTheBoundBeginAgain() async {
    let turns = AnswerTurns(2)
    let begun = Atomic<Int>(0)
    let count = AnswerTurns.longCountMax * 2
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<count {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { work in
            begun.add(1, ordering: .relaxed)
            let end = ContinuousClock.now + .milliseconds(60)
            Self.work(work) { ContinuousClock.now >= end }
          }
        }
      }
    }
    #expect(begun.load(ordering: .relaxed) > count)
  }

  /// A turn keeps nothing of its work after its end.
  @Test func turnsThatHaveEndedHoldNothing() {
    final class Held: Sendable {}
    let turns = AnswerTurns(1)
    weak var held: Held?
    weak var dropped: Held?
    let turn = AnswerTurn(QuestionClient(), turns)
    do {
      let (first, second) = (Held(), Held())
      (held, dropped) = (first, second)
      turn.wait(
        AnswerTurn.Calls(
          begin: { withExtendedLifetime(first) {} }, drop: {}, isWanted: { true }))
      AnswerTurn(QuestionClient(), turns).wait(
        AnswerTurn.Calls(
          begin: {}, drop: { withExtendedLifetime(second) {} }, isWanted: { false }))
    }
    turns.dropUnwanted()
    turn.end()
    #expect(held == nil && dropped == nil)
  }

  @Test func workThatIsNotWantedIsDroppedOrResumed() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let dropped = Atomic<Int>(0)
    let isWanted = Atomic<Bool>(true)
    let ended = AsyncStream.makeStream(of: Void.self)
    await withDiscardingTaskGroup { tasks in
      let isDone = Atomic<Bool>(false)
      // It gives way to the next one, which never ends.
      let turn = AnswerTurn(QuestionClient(), turns)
      turn.wait(
        AnswerTurn.Calls(
          begin: {
            Task(executorPreference: AnswerThreads.shared) {
              while isWanted.load(ordering: .relaxed), turn.pass() {}
              turn.end()
              ended.continuation.finish()
            }
          }, drop: {}, isWanted: { isWanted.load(ordering: .relaxed) }))
      tasks.addTask {
        await turns.run(for: QuestionClient()) { _ in
          while !isDone.load(ordering: .relaxed) { await Task.yield() }
        }
      }
      while turns.pausedCount == 0 { await Task.yield() }
      for _ in 0..<10 {
        AnswerTurn(QuestionClient(), turns).wait(
          AnswerTurn.Calls(
            begin: {}, drop: { dropped.add(1, ordering: .relaxed) },
            isWanted: { isWanted.load(ordering: .relaxed) }))
      }
      isWanted.store(false, ordering: .relaxed)
      turns.dropUnwanted()
      for await _ in ended.stream {}
      isDone.store(true, ordering: .relaxed)
    }
    #expect(dropped.load(ordering: .relaxed) == 10)
  }
}
