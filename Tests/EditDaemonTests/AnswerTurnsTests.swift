import EditQueries
import Glibc
import NIOConcurrencyHelpers
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
    // A new process has a debit.
    for peer in [one, many] { await turns.run(for: QuestionClient(peer: peer)) { _ in } }
    await withDiscardingTaskGroup { tasks in
      // All others wait for this one, which never passes.
      tasks.addTask {
        await turns.run(for: QuestionClient(peer: many)) { _ in
          while !isFree.isRaised { await Task.yield() }
        }
      }
      while turns.workingCount == 0 { await Task.yield() }
      for number in 0..<105 {
        let isOne = number >= 100
        tasks.addTask {
          await turns.run(for: QuestionClient(peer: isOne ? one : many)) { _ in
            TurnClockTests.work(2_000_000)
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

  /// Runs `first`, and while it works lets `others` wait. Returns the order in which the others are served.
  private static func order(
    of others: [(name: String, client: QuestionClient)], behind first: QuestionClient,
    _ turns: AnswerTurns
  ) async -> [String] {
    let order = NIOLockedValueBox<[String]>([])
    let isFree = Flag()
    await withDiscardingTaskGroup { tasks in
      tasks.addTask {
        await turns.run(for: first) { _ in while !isFree.isRaised { await Task.yield() } }
      }
      while turns.workingCount == 0 { await Task.yield() }
      for (number, (name, client)) in others.enumerated() {
        tasks.addTask {
          await turns.run(for: client) { _ in
            order.withLockedValue { $0.append(name) }
            TurnClockTests.work(3_000_000)
          }
        }
        while turns.waitingCount <= number { await Task.yield() }
      }
      isFree.raise()
    }
    return order.withLockedValue { $0 }
  }

  /// A thread that waits for a processor is not slow by itself.
  @Test func aShortAnswerOnABusyMachineIsNotLong() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let order = Order()
    await withDiscardingTaskGroup { tasks in
      tasks.addTask {
        await turns.run(for: QuestionClient()) { work in
          while turns.waitingCount == 0 { usleep(1_000) }
          usleep(60_000)
          _ = work.isOver
          order.add(true)
        }
      }
      while turns.workingCount == 0 { await Task.yield() }
      tasks.addTask { await turns.run(for: QuestionClient()) { _ in order.add(false) } }
    }
    #expect(order.all == [true, false])
  }

  /// A connection whose answers are short is served before those that come without end, and before those
  /// that ask for much. A long answer of it does not change that.
  @Test(arguments: [false, true]) func shortAnswersAreFirst(afterALongOne: Bool) async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let peer = QuestionPeer()
    let (short, heavy) = (QuestionClient(peer: peer), QuestionClient(peer: peer))
    if afterALongOne {
      await turns.run(for: short) { work in
        for _ in 0..<200 where !work.isOver { TurnClockTests.work(1_000_000) }
      }
    }
    for _ in 0..<20 {
      await turns.run(for: heavy) { _ in TurnClockTests.work(10_000_000) }
      await turns.run(for: short) { _ in }
    }
    // It has taken more than the other now, but takes little at a time.
    for _ in 0..<40 { await turns.run(for: short) { _ in TurnClockTests.work(400_000) } }
    var others = (0..<10).map { _ in (name: "new", client: QuestionClient(peer: peer)) }
    others += [("heavy", heavy), ("short", short)]
    let order = await Self.order(of: others, behind: QuestionClient(peer: peer), turns)
    #expect(order.first == "short")
    #expect(order.count == others.count)
  }

  /// Connections that come without end do not stay before one that is there.
  @Test func newConnectionsAreNotFirstForEver() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    let peer = QuestionPeer()
    let old = QuestionClient(peer: peer)
    let isServed = Flag()
    let count = Counter()
    await turns.run(for: old) { _ in TurnClockTests.work(4_000_000) }
    await withDiscardingTaskGroup { tasks in
      let isFree = Flag()
      tasks.addTask {
        await turns.run(for: QuestionClient(peer: peer)) { _ in
          while !isFree.isRaised { await Task.yield() }
        }
      }
      while turns.workingCount == 0 { await Task.yield() }
      // Two new ones always wait.
      for _ in 0..<2 {
        tasks.addTask {
          while !isServed.isRaised, count.count < 1_000 {
            count.add()
            await turns.run(for: QuestionClient(peer: peer)) { _ in
              TurnClockTests.work(1_000_000)
            }
          }
        }
      }
      while turns.waitingCount < 2 { await Task.yield() }
      tasks.addTask { await turns.run(for: old) { _ in isServed.raise() } }
      while turns.waitingCount < 3 { await Task.yield() }
      isFree.raise()
    }
    #expect(count.count < 20)
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
            for _ in 0..<60 where !work.isOver { TurnClockTests.work(1_000_000) }
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
            Task(executorPreference: turn) {
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
