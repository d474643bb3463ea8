import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing
import TextState

/// What agents wrote, against an array of units.
@Suite struct AgentsQueryTests {
  private let history: HistoryReference
  init() throws { history = HistoryReference(try #require(DocumentID(QueryBench.name))) }

  private struct Unit {
    var writer: Edit
    var deleter: Edit?
  }

  /// A seeded history without undos and moves: its edits are ten minutes apart.
  private func plainHistory(seed: UInt64) -> MixedHistory {
    MixedHistory(
      MixedHistory(seed: seed, editCount: 120).edits.map { edit in
        var edit = edit
        if [.undo, .redo].contains(edit.origin) { edit.origin = .program }
        edit.time = Timestamp(nanoseconds: Int64(edit.sequence) * 600_000_000_000)
        return .edit(edit)
      })
  }

  @Test(arguments: UInt64(0)..<6)
  func theAgentsAreThoseOfTheUnits(seed: UInt64) async throws {
    let bench = try QueryBench(plainHistory(seed: seed))
    var (units, text): ([Unit], [Int]) = ([], [])
    for edit in bench.mixed.edits {
      if let inserted = edit.action.replacement {
        for index in text[edit.action.range.bounds] { units[index].deleter = edit }
        text.replaceSubrange(
          edit.action.range.bounds, with: units.count..<units.count + inserted.count)
        units += inserted.units.map { _ in Unit(writer: edit) }
      }
      guard edit.sequence % 40 == 0 || edit.sequence == 1 else { continue }
      let answer = try await bench.engine.answer(
        AgentsRequest(history, at: .sequence(edit.sequence)))
      #expect(answer.sequence == edit.sequence && answer.length == text.count)
      let edits = bench.mixed.edits.prefix(Int(edit.sequence)).filter {
        $0.origin == .program && $0.author != nil
      }
      #expect(Set(answer.agents.map(\.agent)) == Set(edits.map(\.author)))
      for agent in answer.agents {
        func isOwn(_ edit: Edit) -> Bool { edit.origin == .program && edit.author == agent.agent }
        let own = units.filter { isOwn($0.writer) }
        let others = own.compactMap(\.deleter).filter { !isOwn($0) }
        #expect(agent.edits == edits.count { isOwn($0) } && agent.undone == 0)
        #expect(agent.inserted == own.count && agent.takenBack == 0)
        #expect(agent.living == own.count { $0.deleter == nil })
        #expect(agent.deletedByOthers == others.count, "\(seed) at \(edit.sequence)")
        #expect(agent.replaced == others.count { $0.action.newLength > 0 })
        #expect(agent.deletedBySelf == own.count - agent.living - others.count)
      }
      let inserted = answer.agents.map(\.inserted)
      #expect(inserted == inserted.sorted(by: >))
    }
  }

  /// With undos and moves too, each unit counts once.
  @Test(arguments: UInt64(0)..<6)
  func theSumsAreWhole(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 200)
    for at in [0, 1, 100, 200] as [SequenceNumber] {
      let answer = try await bench.engine.answer(AgentsRequest(history, at: .sequence(at)))
      if at == 0 { #expect(answer.agents.isEmpty) }
      for agent in answer.agents {
        let sum = agent.living + agent.takenBack + agent.deletedBySelf + agent.deletedByOthers
        #expect(sum == agent.inserted && agent.replaced <= agent.deletedByOthers)
      }
    }
  }

  /// There is room for 1,000 agents; the rest is one.
  @Test func manyAgentsShareAnEntry() async throws {
    let entries = (1...1_010).map { number in
      HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(number),
          action: EditAction(replacing: UTF16Range(0..<0), with: "ab"), origin: .program,
          author: "a\(number)"))
    }
    let bench = try QueryBench(MixedHistory(entries))
    let answer = try await bench.engine.answer(AgentsRequest(history))
    #expect(answer.agents.count == 1_001)
    let rest = try #require(answer.agents.first)
    #expect(rest.agent == nil && rest.edits == 10 && rest.living == 20)
  }
}
