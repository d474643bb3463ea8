import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct ShowCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the text of a document at a point of its history.",
    discussion: withExamples(
      """
      Prints the exact text in UTF-8; only a lone surrogate is printed as U+FFFD. On a terminal, \
      characters that could move the cursor or change a colour are escaped. `--json` prints one \
      object, with the text in \"text\".
      """))

  static var jsonLines: [JSONLine] { [.init("a version", StateAnswer.codec)] }

  static let examples = [
    Example("editlog show essay --at '10m ago'", "the text as it was ten minutes ago"),
    Example("editlog show essay --at mark:draft > draft.txt", "the text at a mark, into a file"),
    Example("editlog show essay --step -3 --by undo", "three undo steps before the newest version"),
  ]

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isTable: Bool { false }

  /// The maximum number of UTF-16 units in one call.
  static let partLength = 1 << 20

  func run(in session: Session) async throws {
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    let first = try await session.ask(name, reading) {
      StateRequest($0, VersionPart(at: point, limit: Self.partLength))
    }
    if common.json { return try await printJSON(first, session) }
    if steps.step == nil {
      try await session.noteVersion(of: atOrLatest, first.sequence, name, reading)
    }
    try await forEachPart(from: first, session) { try session.writeText($0.text) }
  }

  /// Calls `body` with the first part of a version and with each part after it. One part is in
  /// memory at a time.
  private func forEachPart(
    from first: StateAnswer, _ session: Session, _ body: (StateAnswer) throws -> Void
  ) async throws {
    var part = first
    try body(part)
    let version = PointExpression.sequence(part.sequence)
    while let next = part.next {
      part = try await session.ask(name, reading.afterFirstPart) {
        StateRequest($0, VersionPart(at: version, offset: next, limit: Self.partLength))
      }
      try body(part)
    }
  }

  /// Prints one object. The text is written part by part.
  private func printJSON(_ first: StateAnswer, _ session: Session) async throws {
    var whole = first
    (whole.text, whole.attributeRuns, whole.next) = (UTF16Text(), [], nil)
    func members() throws -> [JSONObject.Member] {
      try StateAnswer.codec.encode(whole).asObject().members
    }
    func write(_ members: some Sequence<JSONObject.Member>) throws {
      for member in members {
        try session.write(
          json: [UInt8(ascii: ",")] + JSON(member.name).serialized() + [UInt8(ascii: ":")]
            + member.value.serialized())
      }
    }
    let position = try members().firstIndex { $0.name == "text" } ?? 0
    try session.output.write(#"{"v":1"#)
    try write(try members().prefix(position))
    try session.output.write(#","text":""#)
    try await forEachPart(from: first, session) { part in
      let quoted = JSON(part.text).serialized()
      try session.write(json: Array(quoted.dropFirst().dropLast()))
      whole.attributeRuns.join(part.attributeRuns)
    }
    try session.output.write("\"")
    try write(try members().dropFirst(position + 1))
    try session.output.write("}\n")
  }
}

extension [AttributeRun] {
  /// Adds the runs of the text that follows. If the first of them has the attributes of the last
  /// run here, the two become one.
  fileprivate mutating func join(_ runs: [AttributeRun]) {
    var rest = runs[...]
    if let last, let next = rest.first, last.attributes == next.attributes {
      self[count - 1].length += next.length
      rest.removeFirst()
    }
    self += rest
  }
}
