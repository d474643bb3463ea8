import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last undo step of a document, or list the steps.",
    discussion: """
      An undo appends edits: nothing is lost, and an undo can itself be undone (`redo`). Steps \
      form a tree, because an edit after an undo begins a branch. In the list, ● is the step that \
      would be undone next, ○ a step before it, ◌ a step that is undone or on another branch. An \
      editor that has the document open is asked to make the edits in its text.
      """)

  @Argument(help: "The document.") var name: String
  @Flag(help: "List the undo steps; change nothing.") var list = false
  @Flag(help: "Show the edits that would be made; change nothing.") var dryRun = false
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Go to this step, on any branch, instead. 0 is the start.", valueName: "STEP"))
  var target: Int?
  @OptionGroup var author: AuthorOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { (list || dryRun) && !common.json }

  func validate() throws {
    if list, dryRun { throw ValidationError("--list and --dry-run exclude each other.") }
    if list, target != nil { throw ValidationError("--list and --to exclude each other.") }
    if let target, target < 0 { throw ValidationError("--to: a step is 0, 1, 2, …") }
  }

  func run(in session: Session) async throws {
    if list { return try await printSteps(session) }
    if dryRun { return try await printPlan(session) }
    try await session.introduce(as: "undo", by: author)
    let undone = try await session.whenAtRest(atRest) {
      try await session.perform(name) {
        UndoRequest(reading.reference($0), to: target, atRest: atRest.waits)
      }
    }
    if common.json { return try session.printJSON(undone, UndoAnswer.codec) }
    let sequence = session.style.paint("\(undone.sequence)", .sequence)
    let done = target == nil ? "undid step \(undone.step)" : "went to step \(undone.step)"
    try session.output.writeLine("\(done); now at version \(sequence)")
  }

  private func printPlan(_ session: Session) async throws {
    let plan = try await session.ask(name, reading) { UndoPlanRequest($0, to: target) }
    if common.json { return try session.printJSON(plan, UndoPlanAnswer.codec) }
    session.note(
      target == nil
        ? "Step \(plan.step) would be undone by:" : "These edits lead to step \(plan.step):")
    var table = Table(
      [
        .init(isRight: true), .init(rank: 1), .init(rank: 2), .init(isRight: true, rank: 3),
        EditRun.excerptColumn,
      ], style: session.style, width: session.width, hasHeader: false)
    for (index, edit) in plan.edits.enumerated() {
      let (number, change) = (SequenceNumber(index + 1), edit.action.changeInLength)
      let edit = Edit(sequence: number, action: edit.action, origin: edit.origin ?? .undo)
      table.append([
        .init("\(number)", .sequence), .init(edit.origin.name, .origin),
        .init("\(edit.action.range)", .range),
        .init(
          edit.action.replacement == nil ? "" : Numbers.signed(change),
          change < 0 ? .removed : change > 0 ? .added : .faint),
        EditRun(EditPreview(edit, textMax: EditRun.textMax)).excerptCell,
      ])
    }
    try session.print(&table)
  }

  private func printSteps(_ session: Session) async throws {
    let steps = try await session.ask(name, reading) { UndoStepsRequest($0) }.steps
    if common.json { return try session.printJSON(each: steps, ShownUndoStep.codec) }
    guard !steps.isEmpty else { return session.note("There is nothing to undo.") }
    var table = Table(
      [
        .init(title: "STEP"), .init(title: "FROM", isRight: true), .init(title: "EDITS"),
        .init(title: "COUNT", isRight: true), .init(title: "TEXT", isRight: true),
        .init(title: "ORIGIN"), .init(title: "TIME"), .init(title: "AUTHOR"),
      ], style: session.style, width: session.width)
    for (step, graph) in zip(steps, ShownUndoStep.graph(steps)) {
      table.append(step.cells(graph: graph, session))
    }
    try session.print(&table)
  }
}

extension ShownUndoStep {
  /// The graph before each step: a line for each branch between it and the trunk, and its sign. The
  /// last child of a step continues its branch; the other children begin new branches.
  static func graph(_ steps: [ShownUndoStep]) -> [String] {
    var lastChild: [Int: Int] = [:]
    for step in steps { lastChild[step.parent] = step.step }
    var depths: [Int: Int] = [:]
    return steps.map { step in
      let depth = (depths[step.parent] ?? 0) + (lastChild[step.parent] == step.step ? 0 : 1)
      depths[step.step] = depth
      let sign = step.isCurrent ? "●" : step.isUndone ? "◌" : "○"
      return String(repeating: "│ ", count: min(depth, 20)) + sign
    }
  }

  /// The step's fields.
  fileprivate func cells(graph: String, _ session: Session) -> [Table.Cell] {
    let text = [inserted > 0 ? "+\(inserted)" : "", deleted > 0 ? "-\(deleted)" : ""]
    let role: Style.Role = isCurrent ? .header : isUndone ? .faint : .plain
    return [
      .init("\(graph) \(step)", role), .init(parent == 0 ? "" : "\(parent)", .faint),
      .init(first == last ? "\(first)" : "\(first)..\(last)", .sequence),
      .init("\(editCount)", role),
      .init(text.filter { !$0.isEmpty }.joined(separator: " "), role),
      .init(origin?.name ?? "", .origin), .init(session.localTime(time), .time),
      .init(author.map { Excerpt.name($0, width: 24) } ?? "", .author),
    ]
  }
}
