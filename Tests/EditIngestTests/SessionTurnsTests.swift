import DaemonTestSupport
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditIngest

/// The order of a session's requests after a refusal.
@Suite struct SessionTurnsTests {
  private let full = ProtocolError(.noSpace, "no space")

  private func ticket(_ counter: UInt64, _ session: String = "a") throws -> RequestTicket {
    RequestTicket(session: try #require(SessionID(session)), counter: counter)
  }

  /// The requests that are admitted, of these.
  private func admitted(
    by turns: inout SessionTurns, _ counters: [UInt64], session: String = "a"
  ) throws -> [UInt64] {
    try counters.filter { counter in
      let ticket = try ticket(counter, session)
      do throws(ProtocolError) {
        try turns.admit(ticket)
        return true
      } catch {
        turns.note(error, ticket)
        return false
      }
    }
  }

  @Test func laterRequestsWaitForTheRefusedOne() throws {
    var turns = SessionTurns()
    turns.note(full, try ticket(5))
    #expect(try admitted(by: &turns, [6, 7]) == [])
    #expect(try admitted(by: &turns, [6], session: "b") == [6])
    #expect(try admitted(by: &turns, [5, 6, 7, 8]) == [5, 6, 7, 8])
  }

  /// A request that was sent over the old connection arrives while the refused ones are resent over the
  /// new one.
  @Test func aLateRequestDoesNotOvertakeASecondRefusedOne() throws {
    var turns = SessionTurns()
    turns.note(full, try ticket(5))
    #expect(try admitted(by: &turns, [6]) == [])
    #expect(try admitted(by: &turns, [5, 7, 6, 7]) == [5, 6, 7])
  }

  @Test func aRunOfRequestsIsRefusedAndAdmittedWhole() throws {
    var turns = SessionTurns()
    turns.note(full, try ticket(5), through: try ticket(8))
    #expect(try admitted(by: &turns, [5, 9]) == [5])
    try turns.admit(try ticket(6), through: try ticket(8))
    #expect(try admitted(by: &turns, [9]) == [9])
  }

  @Test func aFaultOfTheRequestIsNotResent() throws {
    var turns = SessionTurns()
    turns.note(ProtocolError(.invalidEdit, "no such range"), try ticket(5))
    #expect(try admitted(by: &turns, [6]) == [6])
  }

  /// Each request waits for all refused ones before it, whatever the order in which they come.
  @Test(arguments: UInt64(0)..<20)
  func noRequestOvertakesARefusedOne(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var turns = SessionTurns()
    var refused: Set<UInt64> = []
    for _ in 0..<2_000 {
      let counter = UInt64.random(in: 0..<30, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        turns.note(full, try ticket(counter))
        refused.insert(counter)
        continue
      }
      let isAdmitted = try admitted(by: &turns, [counter]) == [counter]
      #expect(isAdmitted == !refused.contains { $0 < counter }, "seed \(seed)")
      if isAdmitted { refused.remove(counter) } else { refused.insert(counter) }
    }
  }

  @Test func countersThatDoNotFollowOneAnotherAreBounded() throws {
    var turns = SessionTurns()
    let count = UInt64(SessionTurns.rangeCountMax) + 5
    for number in 0..<count { turns.note(full, try ticket(number * 2)) }
    turns.note(full, try ticket(.max), through: try ticket(.max))
    #expect(try admitted(by: &turns, (0..<count).map { $0 * 2 }).count == Int(count))
    #expect(try admitted(by: &turns, [.max]) == [.max])
  }
}
