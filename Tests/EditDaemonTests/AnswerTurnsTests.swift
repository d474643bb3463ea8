import EditQueries
import Synchronization
import Testing

@testable import EditDaemon

/// A number that tasks share.
private final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add() { value.add(1, ordering: .relaxed) }
}

/// The order in which tasks came.
private final class Order: Sendable {
  private let values = Mutex<[Bool]>([])
  var all: [Bool] { values.withLock { $0 } }
  func add(_ value: Bool) { values.withLock { $0.append(value) } }
}

/// Something that tasks wait for.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isRaised: Bool { value.load(ordering: .relaxed) }
  func raise() { value.store(true, ordering: .relaxed) }
}

/// How the places for work on answers are shared.
@Suite(.timeLimit(.minutes(5))) struct AnswerTurnsTests {
  /// Work that goes on until it is told to end, or has to begin again.
  private static func work(_ work: QuestionWork, until isDone: () -> Bool) {
    while !isDone(), !work.isOver {}
  }

  @Test func shortAnswersAreMadeWhileLongOnesGoOn() async {
    let turns = AnswerTurns(1)
    let isDone = Flag()
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<3 {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { work in
            Self.work(work) { isDone.isRaised }
          }
        }
      }
      for _ in 0..<20 { await turns.run(for: QuestionClient()) { _ in } }
      isDone.raise()
    }
  }

  /// While short ones come without end, the long one has its turns too.
  @Test func longAnswersGoOnWhileShortOnesCome() async {
    let turns = AnswerTurns(1)
    let isDone = Flag()
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<4 {
        tasks.addTask {
          while !isDone.isRaised {
            await turns.run(for: QuestionClient()) { _ in }
          }
        }
      }
      let count = Counter()
      await turns.run(for: QuestionClient()) { work in
        let end = ContinuousClock.now + .milliseconds(100)
        Self.work(work) { ContinuousClock.now >= end }
        count.add()
      }
      #expect(count.count > 0)
      isDone.raise()
    }
  }

  /// The connections of one process have one share, however many they are.
  @Test func aProcessWithManyQuestionsHasTheShareOfOne() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let (many, one) = (QuestionPeer(), QuestionPeer())
    let order = Order()
    let isFree = Flag()
    await withDiscardingTaskGroup { tasks in
      // All others wait for this one, which never passes.
      tasks.addTask {
        await turns.run(for: QuestionClient(peer: many)) { _ in
          while !isFree.isRaised { await Task.yield() }
        }
      }
      for number in 0..<105 {
        let isOne = number >= 100
        tasks.addTask {
          await turns.run(for: QuestionClient(peer: isOne ? one : many)) { _ in
            let end = ContinuousClock.now + .milliseconds(2)
            while ContinuousClock.now < end {}
            order.add(isOne)
          }
        }
      }
      while turns.waitingCount < 105 { await Task.yield() }
      isFree.raise()
    }
    // They take turns, one for one, as long as both have some.
    #expect(order.all.prefix(12).count { $0 } == 5)
  }

  /// Work that never gives way delays new work only for a moment.
  @Test func newWorkBeginsBesideWorkThatCannotGiveWay() async {
    let turns = AnswerTurns(2)
    let isDone = Flag()
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<2 {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { _ in
            while !isDone.isRaised { await Task.yield() }
          }
        }
      }
      for _ in 0..<20 { await turns.run(for: QuestionClient()) { _ in } }
      isDone.raise()
    }
  }

  /// More long answers than are kept begun: some begin again, and all are made.
  @Test func longAnswersBeyondTheBoundBeginAgain() async {
    let turns = AnswerTurns(2)
    let begun = Counter()
    let count = AnswerTurns.longCountMax * 2
    await withDiscardingTaskGroup { tasks in
      for _ in 0..<count {
        tasks.addTask {
          await turns.run(for: QuestionClient()) { work in
            begun.add()
            let end = ContinuousClock.now + .milliseconds(60)
            Self.work(work) { ContinuousClock.now >= end }
          }
        }
      }
    }
    #expect(begun.count > count)
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
    let dropped = Counter()
    let isUnwanted = Flag()
    let ended = AsyncStream.makeStream(of: Void.self)
    await withDiscardingTaskGroup { tasks in
      let isDone = Flag()
      // It gives way to the next one, which never ends.
      let turn = AnswerTurn(QuestionClient(), turns)
      turn.wait(
        AnswerTurn.Calls(
          begin: {
            Task(executorPreference: AnswerThreads.shared) {
              while !isUnwanted.isRaised, turn.pass() {}
              turn.end()
              ended.continuation.finish()
            }
          }, drop: {}, isWanted: { !isUnwanted.isRaised }))
      tasks.addTask {
        await turns.run(for: QuestionClient()) { _ in
          while !isDone.isRaised { await Task.yield() }
        }
      }
      while turns.pausedCount == 0 { await Task.yield() }
      for _ in 0..<10 {
        AnswerTurn(QuestionClient(), turns).wait(
          AnswerTurn.Calls(
            begin: {}, drop: { dropped.add() },
            isWanted: { !isUnwanted.isRaised }))
      }
      isUnwanted.raise()
      turns.dropUnwanted()
      for await _ in ended.stream {}
      isDone.raise()
    }
    #expect(dropped.count == 10)
  }
}
