import EditQueries
import Synchronization
import Testing

@testable import EditDaemon

/// Who may have how many bytes in flight.
@Suite(.timeLimit(.minutes(10))) struct ByteBudgetTests {
  private final class Granted: Sendable {
    let names = Mutex<[String]>([])
    func note(_ name: String) -> @Sendable () -> Void {
      { self.names.withLock { $0.append(name) } }
    }
    var all: [String] { names.withLock { $0 } }
  }

  @Test func aLargeRequestIsNotOvertaken() {
    let (budget, granted) = (ByteBudget(size: 100), Granted())
    #expect(budget.take(60))
    budget.take(100, inTurn: granted.note("large"))
    #expect(!budget.take(1), "another request waits")
    budget.take(10, inTurn: granted.note("small"))
    #expect(budget.isContended)
    budget.give(60)
    #expect(granted.all == ["large"])
    budget.give(100)
    #expect(granted.all == ["large", "small"])
    #expect(budget.used == 10)
  }

  private final class Kept: Sendable { let memory = Mutex<AnswerMemory?>(nil) }

  @Test func whatIsKeptMakesRoomForWhatIsAsked() {
    let (kept, granted) = (Kept(), Granted())
    let budget = ByteBudget(size: 100) { _ in
      // Given back without the lock.
      _ = kept.memory.withLock { $0.take() }
    }
    func keep() { kept.memory.withLock { $0 = budget.takeKept(60) } }
    keep()
    #expect(budget.used == 60)
    #expect(budget.takeKept(60) == nil && budget.used == 60, "it drops nothing that is kept")
    #expect(budget.take(40) && budget.used == 100)
    #expect(budget.take(10) && budget.used == 50)
    #expect(budget.takeMemory(60) == nil && budget.used == 50)
    budget.give(50)
    keep()
    budget.take(100, inTurn: granted.note("all"))
    #expect(granted.all == ["all"] && budget.used == 100)
  }

  @Test func memoryIsGivenBackOnce() {
    let budget = ByteBudget(size: 100)
    var memory = budget.takeMemory(30)
    var shared = memory
    #expect(budget.takeMemory(0)?.size == 0 && budget.used == 30)
    memory = nil
    #expect(budget.used == 30 && shared?.size == 30)
    shared = nil
    memory = budget.takeMemory(1_000)
    #expect(memory?.size == 100 && budget.used == 100, "more than all is all")
    memory = nil
    #expect(budget.used == 0)
  }

  @Test func whoLeavesMakesRoomForTheNext() {
    let (budget, granted) = (ByteBudget(size: 100), Granted())
    #expect(budget.take(60))
    let turn = budget.take(100, inTurn: granted.note("large"))
    budget.take(40, inTurn: granted.note("small"))
    #expect(budget.leave(turn))
    #expect(granted.all == ["small"])
    #expect(!budget.leave(turn))
  }

  @Test func aSmallerBudgetIsFullForAWhile() {
    let (budget, granted) = (ByteBudget(size: 80 << 20), Granted())
    var limits = DaemonLimits()
    limits.bytesInFlightMax = 16 << 20
    let cost = budget.cost(of: 90 << 20)
    #expect(budget.take(1 << 20))
    budget.take(cost, inTurn: granted.note("as large as all once were"))
    budget.use(limits)
    #expect(granted.all.isEmpty && budget.used == 1 << 20)
    budget.give(1 << 20)
    // More than the budget has now: it is alone, and nothing traps.
    #expect(granted.all.count == 1 && budget.used == cost)
    #expect(!budget.take(1))
    limits.bytesInFlightMax = 256 << 20
    budget.use(limits)
    #expect(budget.take(1) && budget.ownMax == limits.ownBytes)
    budget.give(cost + 1)
    #expect(budget.used == 0)
  }

  /// A series of large answers leaves memory for all other requests.
  @Test(arguments: [16 << 20, 256 << 20]) func largeAnswersHaveAPart(of bytesMax: Int) {
    var limits = DaemonLimits()
    limits.bytesInFlightMax = bytesMax
    #expect(limits.sharedBytes + limits.largeAnswerBytes <= bytesMax)
    #expect(limits.largeAnswerMin < limits.largeAnswerBytes)
    #expect(limits.sharedBytes >= 2 * limits.largeAnswerMin)
  }

  /// How many run at a time, and ran at most.
  private final class Gauge: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    func begin() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func end() { counts.withLock { $0.now -= 1 } }
    var most: Int { counts.withLock { $0.most } }
  }

  @Test func placesThatAreAddedAreUsedAndThoseThatAreGoneAreNot() async {
    let turns = AnswerTurns(1, overdueTime: nil)
    for count in [1, 4, 2, 1] {
      let gauge = Gauge()
      turns.use(count)
      await withDiscardingTaskGroup { tasks in
        for _ in 0..<32 {
          tasks.addTask {
            await turns.run(for: QuestionClient()) { _ in
              gauge.begin()
              await Task.yield()
              gauge.end()
            }
          }
        }
      }
      #expect((1...count).contains(gauge.most))
    }
  }

  @Test func whatAConnectionMayAlwaysHaveIsNotOthers() {
    let budget = ByteBudget(size: 100, ownMax: 10, shareMax: 50)
    var account = ByteAccount(budget: budget)
    #expect(budget.take(100))
    guard case .taken(let own) = account.take(10) else {
      Issue.record("nothing of its own")
      return
    }
    guard case .waitsForItself = account.take(1) else {
      Issue.record("a small one waits for others")
      return
    }
    guard case .waitsForOthers(20) = account.take(20) else {
      Issue.record("a larger one does not wait")
      return
    }
    account.give(own)
    #expect(account.used == 0)
    guard case .waitsForOthers(100) = account.take(1_000) else {
      Issue.record("what is larger than all does not wait to be alone")
      return
    }
  }

  @Test func aLargeFrameWaitsUntilItsConnectionHasNothingElse() {
    let budget = ByteBudget(size: 100, ownMax: 10, shareMax: 50)
    var account = ByteAccount(budget: budget)
    guard case .taken(let first) = account.take(30), case .waitsForItself = account.take(60) else {
      Issue.record("not bounded")
      return
    }
    account.give(first)
    guard case .taken(let second) = account.take(60) else {
      Issue.record("never let in")
      return
    }
    account.give(second)
    #expect(budget.used == 0)
  }
}
