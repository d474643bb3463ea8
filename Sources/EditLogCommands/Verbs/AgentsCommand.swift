import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc

struct AgentsCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "agents",
    abstract: "Show what agents wrote, and what of it was kept, changed or taken back.",
    discussion: withExamples(
      """
      An agent is the author of edits of origin `program`. Each row is an agent with the client that sent \
      its edits. All columns but EDITS are UTF-16 units: WROTE is what it inserted; KEPT is what of that is \
      in the text; ITSELF and OTHERS is what it deleted itself, and what others deleted, REPLACED what of \
      that was replaced by other text in one edit; UNDONE is what an undo took back. WROTE is the sum of \
      KEPT, ITSELF, OTHERS and UNDONE. Text that is cut and pasted within 5 minutes stays its writer's.

      --json prints an object for each agent: `agent`, `client` (if known), `edits`, `undone` (the number \
      of edits that are undone), `inserted`, `living`, `takenBack`, `deletedBySelf`, `deletedByOthers`, \
      `replaced`.

      --format agent-trace prints a record of the agent-trace format (https://agent-trace.dev), version \
      \(AgentTrace.formatVersion): the lines that agents wrote, by agent and client. Lines that others \
      wrote some of are of type `mixed`. An agent that is named provider/model is a `model_id`; \
      `metadata.editlog.agents` has all names. `path` is relative to the folder that has a .git, else to \
      the working folder.
      """))

  static let examples = [
    Example("editlog agents essay", "what each agent wrote, and what is left of it"),
    Example(
      "editlog agents src/parser.swift --format agent-trace >> traces.jsonl",
      "a record for tools that read agent-trace"),
  ]

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
    case agentTrace = "agent-trace"
  }

  static var jsonLines: [JSONLine] { [.init("the work of an agent", AgentWork.codec)] }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Form of the output: table, json or agent-trace.", valueName: "format"))
  var format = Format.table
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { form == .table }

  private var form: Format { common.json ? .json : format }

  func validate() throws {
    guard !common.json || format != .agentTrace else {
      throw ValidationError("--json excludes --format agent-trace.")
    }
  }

  func run(in session: Session) async throws {
    let point = try session.point(at ?? "latest")
    if form == .agentTrace { return try await printTrace(point, session) }
    let answer = try await session.ask(name, reading) { AgentsRequest($0, at: point) }
    if let at { try await session.noteVersion(of: at, answer.sequence, name, reading) }
    if form == .json { return try session.printJSON(each: answer.agents, AgentWork.codec) }
    try print(answer, session)
  }

  private func print(_ answer: AgentsAnswer, _ session: Session) throws {
    guard !answer.agents.isEmpty else { return session.note("no edits of agents") }
    var table = session.table(
      [
        .init(title: "AGENT", cutWidth: 16, widthMax: 40),
        .init(title: "CLIENT", rank: 1, cutWidth: 12, widthMax: 24),
        .init(title: "EDITS", isRight: true, rank: 3), .init(title: "WROTE", isRight: true),
        .init(title: "KEPT", isRight: true), .init(title: "", isRight: true),
        .init(title: "ITSELF", isRight: true), .init(title: "OTHERS", isRight: true),
        .init(title: "REPLACED", isRight: true, rank: 2), .init(title: "UNDONE", isRight: true),
      ])
    for agent in answer.agents { table.append(cells(of: agent)) }
    try session.print(&table)
    let (living, length) = (answer.agents.reduce(0) { $0 + $1.living }, answer.length)
    guard length > 0 else { return }
    let share = Numbers.decimal(100 * Double(living) / Double(length), 0)
    session.note(
      """
      \(Numbers.grouped(living)) of the text's \(Numbers.grouped(length)) units are by agents: \
      \(share) %
      """)
  }

  private func cells(of agent: AgentWork) -> [Table.Cell] {
    func cell(_ count: Int, _ role: Style.Role) -> Table.Cell {
      .init(Numbers.grouped(count), count == 0 ? .faint : role)
    }
    let share =
      agent.inserted == 0
      ? "" : Numbers.decimal(100 * Double(agent.living) / Double(agent.inserted), 0) + " %"
    return [
      .init(agent.agent?.shown ?? "(others)", .author), .init(agent.client?.shown ?? ""),
      .init(Numbers.grouped(agent.edits)), cell(agent.inserted, .added), cell(agent.living, .good),
      .init(share, .header), cell(agent.deletedBySelf, .removed),
      cell(agent.deletedByOthers, .removed), cell(agent.replaced, .removed),
      cell(agent.takenBack, .warning),
    ]
  }

  // MARK: agent-trace

  private func printTrace(_ point: PointExpression, _ session: Session) async throws {
    var (part, options) = (BlamePart(at: point, limit: BlamePart.limitMax), reading)
    var (trace, sequence) = (AgentTrace(), SequenceNumber(0))
    while true {
      let (asked, isFirst) = (part, part.offset == 0)
      let answer = try await session.ask(name, options) { BlameRequest($0, asked) }
      sequence = answer.sequence
      if isFirst, let at { try await session.noteVersion(of: at, sequence, name, reading) }
      for piece in answer.pieces { trace.append(piece) }
      options = reading.afterFirstPart
      guard let next = answer.next else { break }
      (part.at, part.offset) = (.sequence(answer.sequence), next)
    }
    let version = PointExpression.sequence(sequence)
    let time = try await session.ask(name, options) { VersionRequest($0, at: version) }.time
    guard let document = session.documents[name] ?? DocumentID(name) else { return }
    let record = trace.record(
      of: document, path: Self.path(of: document), at: sequence,
      time ?? Timestamp(nanoseconds: 0))
    try session.write(json: record.serialized())
    try session.output.write("\n")
  }

  /// The path of a document's file from the folder that has a `.git`, else from the working folder; the
  /// name of another document.
  static func path(
    of document: DocumentID, directory: String = DocumentArgument.workingDirectory,
    isRoot: (String) -> Bool = { access($0 + "/.git", F_OK) == 0 }
  ) -> String {
    guard let path = FileURI.normalizedPath(document.name) else {
      let name = document.name.drop { $0 == "/" }
      return name.isEmpty ? document.name : String(name)
    }
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for count in (0..<max(1, parts.count)).reversed() {
      let folder = "/" + parts.prefix(count).joined(separator: "/")
      if isRoot(count == 0 ? "" : folder) {
        return parts.dropFirst(count).joined(separator: "/")
      }
    }
    if path.startsExactly(with: directory + "/") {
      return String(decoding: path.utf8.dropFirst(directory.utf8.count + 1), as: UTF8.self)
    }
    return parts.joined(separator: "/")
  }
}
