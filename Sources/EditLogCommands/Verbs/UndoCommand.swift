import ArgumentParser
import EditModel
import EditProtocol

struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last undo step of a document, or list the steps.",
    discussion: """
      Undoing is itself an edit: nothing is lost, and what was undone can be shown and undone \
      again. Steps form a tree, because editing after an undo begins a branch; in the list, ● is \
      the step that would be undone next, ○ a step before it, ◌ a step undone or on another branch.
      """)

  @Argument(help: "The document.") var name: String
  @Flag(help: "List the undo steps; change nothing.") var list = false
  @Flag(help: "Show the edits that would be made; change nothing.") var dryRun = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { (list || dryRun) && !common.json }

  func validate() throws {
    if list, dryRun { throw ValidationError("--list and --dry-run exclude each other.") }
  }

  func run(in session: Session) async throws {
    if list { return try await printList(session) }
    if dryRun { return try await printPlan(session) }
    let result = try await session.call("editlog/undo", on: name, reading.adding())
    if common.json { return try session.printJSON(result) }
    let step = try result.unsigned("step")
    let sequence = session.style.paint("\(try result.unsigned("sequence"))", .sequence)
    try session.output.writeLine("undid step \(step); now at version \(sequence)")
  }

  private func printPlan(_ session: Session) async throws {
    let result = try await session.call(
      "editlog/undo", on: name, reading.adding(to: ["dryRun": true]))
    if common.json { return try session.printJSON(result) }
    let edits = try result.array("edits") { (json) throws(ShapeError) in
      try AppendEdit(json: json)
    }
    session.note("Step \(try result.unsigned("step")) would be undone by:")
    var table = EntryTable(session)
    for (index, edit) in edits.enumerated() { table.append(edit, number: index + 1) }
    try session.output.write(table.takeLines())
  }

  private func printList(_ session: Session) async throws {
    let result = try await session.call(
      "editlog/undo", on: name, reading.adding(to: ["list": true]))
    let rows = try result.read("steps") { (json) throws(ShapeError) in try json.asArray() }
    if common.json { return try session.printJSON(each: rows) }
    let steps = try result.array("steps") { (json) throws(ShapeError) in try UndoStepRow(json) }
    guard !steps.isEmpty else { return session.note("There is nothing to undo.") }
    var table = Table(
      [
        .init(title: "STEP"), .init(title: "FROM", isRight: true), .init(title: "EDITS"),
        .init(title: "COUNT", isRight: true), .init(title: "TEXT", isRight: true),
        .init(title: "ORIGIN"), .init(title: "TIME"), .init(title: "AUTHOR"),
      ], style: session.style, width: session.width)
    for (step, graph) in zip(steps, UndoStepRow.graph(steps)) {
      table.append(try step.cells(graph: graph, session))
    }
    try session.print(&table)
  }
}

/// A step of an undo tree as it is listed.
struct UndoStepRow: Sendable {
  private let object: JSONObject
  private let step: UInt64
  /// 0 for a step without parent.
  private let parent: UInt64
  private let isCurrent: Bool
  private let isUndone: Bool

  init(_ json: JSON) throws(ShapeError) {
    object = try json.asObject()
    step = try object.unsigned("step")
    parent = try object.unsignedIfPresent("parent") ?? 0
    isCurrent = try object.boolIfPresent("current") ?? false
    isUndone = try object.boolIfPresent("undone") ?? false
  }

  /// What stands before each step: a rail for each branch it is off the trunk, and its sign. A
  /// step's last child goes on with its branch; the others begin one of their own.
  static func graph(_ steps: [UndoStepRow]) -> [String] {
    var lastChild: [UInt64: UInt64] = [:]
    for step in steps { lastChild[step.parent] = step.step }
    var depths: [UInt64: Int] = [:]
    return steps.map { step in
      let depth = (depths[step.parent] ?? 0) + (lastChild[step.parent] == step.step ? 0 : 1)
      depths[step.step] = depth
      let sign = step.isCurrent ? "●" : step.isUndone ? "◌" : "○"
      return String(repeating: "│ ", count: min(depth, 20)) + sign
    }
  }

  /// The step's fields.
  func cells(graph: String, _ session: Session) throws -> [Table.Cell] {
    let (first, last) = (try object.unsigned("first"), try object.unsigned("last"))
    let (inserted, deleted) = (try object.unsigned("inserted"), try object.unsigned("deleted"))
    let text = [inserted > 0 ? "+\(inserted)" : "", deleted > 0 ? "-\(deleted)" : ""]
    let role: Style.Role = isCurrent ? .header : isUndone ? .faint : .plain
    return [
      .init("\(graph) \(step)", role), .init(parent == 0 ? "" : "\(parent)", .faint),
      .init(first == last ? "\(first)" : "\(first)..\(last)", .sequence),
      .init("\(try object.unsigned("edits"))", role),
      .init(text.filter { !$0.isEmpty }.joined(separator: " "), role),
      .init(try object.stringIfPresent("origin")?.shown ?? "", .origin),
      .init(try session.localTime(object, "time"), .time),
      .init(
        try object.stringIfPresent("author").map { Excerpt.name($0, width: 24) } ?? "", .author),
    ]
  }
}
