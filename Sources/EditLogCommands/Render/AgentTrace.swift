import EditJSON
import EditModel
import EditProtocol

/// A trace record of the agent-trace format, version 0.1.0: the lines of a text that agents wrote.
///
/// A line is of type `ai` if one agent wrote all of it, its terminator aside; `mixed` if others wrote some
/// of it. Each agent and client has a conversation.
struct AgentTrace {
  /// An agent, as edits name it.
  struct Agent: Hashable {
    var name: ExactString
    var client: ExactString?
  }

  private struct Conversation {
    var agent: Agent
    /// The ranges of lines, ascending, with whether others wrote some of them.
    var ranges: [(lines: ClosedRange<Int>, isMixed: Bool)] = []
  }

  private var conversations: [Conversation] = []
  private var numbers: [Agent: Int] = [:]
  /// The line being read, counted from 1.
  private var line = 1
  /// Its units so far without terminators, and those of each conversation.
  private var (unitCount, ownCounts) = (0, [Int: Int]())
  /// The conversation that wrote a terminator of the line.
  private var endWriter: Int?

  /// The version of the format.
  static let formatVersion = "0.1.0"

  /// No text.
  init() {}

  /// Adds the next piece of the text.
  mutating func append(_ piece: ShownBlamePiece) {
    let number = number(of: piece)
    for unit in piece.text.units {
      if unit == 0x0A || unit == 0x0D {
        endWriter = number
        if unit == 0x0A { endLine() }
      } else {
        unitCount += 1
        if let number { ownCounts[number, default: 0] += 1 }
      }
    }
  }

  private mutating func number(of piece: ShownBlamePiece) -> Int? {
    guard piece.stamp.origin == .program, let author = piece.stamp.author else { return nil }
    let agent = Agent(
      name: ExactString(author), client: piece.client.map { ExactString($0) })
    if let number = numbers[agent] { return number }
    numbers[agent] = conversations.count
    conversations.append(Conversation(agent: agent))
    return conversations.count - 1
  }

  private mutating func endLine() {
    // A line without text is its terminator's.
    if unitCount == 0, let endWriter { ownCounts[endWriter] = 0 }
    for (number, count) in ownCounts { addLine(to: number, isMixed: count < unitCount) }
    (unitCount, ownCounts, endWriter) = (0, [:], nil)
    line += 1
  }

  private mutating func addLine(to number: Int, isMixed: Bool) {
    if let last = conversations[number].ranges.last, last.isMixed == isMixed,
      last.lines.upperBound == line - 1
    {
      conversations[number].ranges[conversations[number].ranges.count - 1].lines =
        last.lines.lowerBound...line
    } else {
      conversations[number].ranges.append((line...line, isMixed))
    }
  }

  /// The record of the text that was added.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - path: The file's path from the root of its repository.
  ///   - sequence: The version.
  ///   - time: The time of the version's last edit.
  func record(
    of document: DocumentID, path: String, at sequence: SequenceNumber, _ time: Timestamp
  ) -> JSON {
    var ended = self
    // The last line has no terminator.
    if unitCount > 0 || endWriter != nil { ended.endLine() }
    let conversations = ended.conversations.filter { !$0.ranges.isEmpty }
    let agents = conversations.map { conversation in
      var agent: JSONObject = ["agent": JSON(conversation.agent.name.string)]
      if let client = conversation.agent.client { agent["client"] = JSON(client.string) }
      return JSON.object(agent)
    }
    return [
      "version": JSON(Self.formatVersion),
      "id": JSON(Self.identifier("\(document.name)\n\(sequence)")),
      "timestamp": JSON(time.rfc3339),
      "tool": ["name": "editlog", "version": JSON(EditLogVersion.current)],
      "files": [
        ["path": JSON(path), "conversations": .array(conversations.map(Self.json))]
      ],
      // The conversations' agents, in the same order.
      "metadata": [
        "editlog": [
          "document": JSON(document.name), "sequence": JSON(sequence), "agents": .array(agents),
        ]
      ],
    ]
  }

  private static func json(_ conversation: Conversation) -> JSON {
    let name = conversation.agent.name.string
    func contributor(_ type: String) -> JSON {
      isModel(name)
        ? ["type": JSON(type), "model_id": JSON(name)] : ["type": JSON(type)]
    }
    return [
      "contributor": contributor("ai"),
      "ranges": .array(
        conversation.ranges.map { range in
          var object: JSONObject = [
            "start_line": JSON(range.lines.lowerBound), "end_line": JSON(range.lines.upperBound),
          ]
          if range.isMixed { object["contributor"] = contributor("mixed") }
          return .object(object)
        }),
    ]
  }

  /// True if an agent's name is that of a model: `provider/model`.
  private static func isModel(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && name.utf8.count <= 250
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// A UUID of version 8 (RFC 9562) that is a function of `name`: two hashes by FNV-1a.
  private static func identifier(_ name: String) -> String {
    func hash(_ basis: UInt64) -> UInt64 {
      name.utf8.reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    let high = hash(0xCBF2_9CE4_8422_2325) & ~0xF000 | 0x8000
    let low = hash(0x6C62_272E_07BB_0142) & ~(0b11 << 62) | 0b10 << 62
    let digits = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var (uuid, rest) = ("", digits[...])
    for count in [8, 4, 4, 4, 12] {
      uuid += (uuid.isEmpty ? "" : "-") + rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    return uuid
  }
}
