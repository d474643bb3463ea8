package import EditJSON
public import EditModel

/// Asks what agents wrote, and what became of it.
public struct AgentsRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression

  /// A call.
  public init(_ history: HistoryReference, at: PointExpression = .latest) {
    (self.history, self.at) = (history, at)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AgentsAnswer>(
    "editlog/agents",
    "What agents wrote, and what became of it.",
    isChange: false,
    params: Codec(
      { AgentsRequest($0, at: $1) },
      .group(\.history, HistoryReference.codec), .optional("at", \.at, .point, else: .latest)),
    answer: AgentsAnswer.codec)
}

/// The agents of a history.
public struct AgentsAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The length of the text in UTF-16 units.
  public var length: Int
  /// The agents, those that inserted most first.
  public var agents: [AgentWork]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// The maximum number of agents that are told apart.
  public static let agentCountMax = 1_000

  /// An answer.
  public init(
    sequence: SequenceNumber, length: Int, agents: [AgentWork],
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.length, self.agents) = (sequence, length, agents)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { AgentsAnswer(sequence: $0, length: $1, agents: $2, reservation: $3) },
    .required("sequence", \.sequence, .unsigned), .required("length", \.length, .count),
    .required("agents", \.agents, .array(AgentWork.codec)),
    .group(\.reservation, Reservation.codec))
}

/// What an agent wrote through one client, and what became of it: the author of edits of origin `program`.
public struct AgentWork: Hashable, Sendable {
  /// The agent's name. Nil for all agents after the first 1,000 together.
  public var agent: String?
  /// The name of the client that sent the edits, if the history has a description of the session.
  public var client: String?
  /// The number of edits.
  public var edits: Int
  /// The number of edits that are undone.
  public var undone: Int
  /// UTF-16 units that were inserted. What was cut and pasted counts once.
  public var inserted: Int
  /// Those that are in the text.
  public var living: Int
  /// Those that an undo took back.
  public var takenBack: Int
  /// Those that the agent deleted itself.
  public var deletedBySelf: Int
  /// Those that others deleted.
  public var deletedByOthers: Int
  /// Those of `deletedByOthers` that were deleted by an edit which inserted other text.
  public var replaced: Int

  /// An agent.
  public init(
    agent: String?, client: String? = nil, edits: Int, undone: Int = 0, inserted: Int, living: Int,
    takenBack: Int = 0, deletedBySelf: Int = 0, deletedByOthers: Int = 0, replaced: Int = 0
  ) {
    (self.agent, self.client, self.edits, self.undone) = (agent, client, edits, undone)
    (self.inserted, self.living, self.takenBack) = (inserted, living, takenBack)
    (self.deletedBySelf, self.deletedByOthers) = (deletedBySelf, deletedByOthers)
    self.replaced = replaced
  }

  package static let codec = Codec<Self>(
    {
      AgentWork(
        agent: $0, client: $1, edits: $2, undone: $3, inserted: $4, living: $5, takenBack: $6,
        deletedBySelf: $7, deletedByOthers: $8, replaced: $9)
    },
    .optional("agent", \.agent, .string), .optional("client", \.client, .string),
    .required("edits", \.edits, .count), .required("undone", \.undone, .count),
    .required("inserted", \.inserted, .count), .required("living", \.living, .count),
    .required("takenBack", \.takenBack, .count),
    .required("deletedBySelf", \.deletedBySelf, .count),
    .required("deletedByOthers", \.deletedByOthers, .count),
    .required("replaced", \.replaced, .count))
}
