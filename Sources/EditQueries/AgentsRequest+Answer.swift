import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension AgentsRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  /// Folds the units of the history, and reads its edits once more.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> AgentsAnswer {
    let version = try await engine.sequence(at: at, "at", replay)
    let (tree, state) = try engine.undoTree(replay, through: version, share: 0...0.6)
    let found: AgentEdits
    do {
      found = try AgentEdits(replay.history, through: version, engine.work, share: 0.6...1)
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    // Edits that realise an undo write nothing.
    let undone = tree.provenance.undone
    let writers = found.agents.map(\.edits)
    let outcomes = tree.provenance.outcomes(of: writers, undos: found.undos)
    var agents: [AgentWork] = []
    for (index, agent) in found.agents.enumerated() where !writers[index].isEmpty {
      let (edits, outcome) = (writers[index], outcomes[index])
      agents.append(
        AgentWork(
          agent: agent.name, client: agent.client, edits: edits.count,
          undone: edits.intersection(undone).count, inserted: outcome.insertedCount,
          living: outcome.livingCount, takenBack: outcome.takenBackCount,
          deletedBySelf: outcome.deletedBySelfCount, deletedByOthers: outcome.deletedByOthersCount,
          replaced: outcome.replacedCount))
    }
    // Equal agents are in the order in which they appeared.
    agents = agents.enumerated().sorted {
      ($1.element.inserted, $0.offset) < ($0.element.inserted, $1.offset)
    }.map(\.element)
    return AgentsAnswer(sequence: version, length: state.length, agents: agents)
  }
}

/// The edits of agents, and those of origin `undo`.
private struct AgentEdits {
  struct Agent {
    /// Nil for all agents after the first ones.
    var name: String?
    var client: String?
    var edits = SequenceSet()
  }

  private struct Key: Hashable {
    var name: ExactString
    var client: ExactString?
  }

  private(set) var agents: [Agent] = []
  private(set) var undos = SequenceSet()
  private var numbers: [Key: Int] = [:]

  /// Reads the edits up to one.
  ///
  /// - Throws: `LogError`; `ProtocolError` if the work was cancelled.
  init(
    _ history: History, through last: SequenceNumber, _ work: QuestionWork?,
    share: ClosedRange<Double>
  ) throws {
    var clients = SessionClients(try history.events())
    var progress = FoldProgress(work, 0...last, share: share)
    try history.forEachOrigin(through: last) { sequence, origin, writer in
      try progress.note(sequence)
      if origin == .undo { undos.append(sequence) }
      guard origin == .program else { return }
      let writer = writer()
      guard let author = writer.author else { return }
      add(sequence, author, clients.client(ofEdit: sequence, in: writer.session))
    }
  }

  private mutating func add(_ sequence: SequenceNumber, _ author: String, _ client: String?) {
    let key = Key(name: ExactString(author), client: client.map { ExactString($0) })
    if let number = numbers[key] { return agents[number].edits.append(sequence) }
    if numbers.count < AgentsAnswer.agentCountMax {
      numbers[key] = agents.count
      agents.append(Agent(name: author, client: client))
    } else if agents.count == numbers.count {
      agents.append(Agent())
    }
    let number = numbers[key] ?? agents.count - 1
    agents[number].edits.append(sequence)
  }
}
