import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract:
      "Take back the last undo step of a document, a selection of edits, or list the steps.",
    discussion: withExamples(
      """
      An undo appends edits: nothing is lost, and an undo can itself be undone. `redo` brings back \
      what the last undo took back. An undo with conditions is a step of its own. Steps form a tree, \
      because an edit after an undo begins a branch; --to goes to any step. In the list, ● is the step that would be undone next, ○ a step before it, ◌ a step that \
      is undone or on another branch.

      With conditions (--author, --agent, --since, …), all edits that meet them are taken back, \
      whatever was typed since: text that others wrote stays, text that others deleted stays \
      deleted, and what stays on that ground is listed. --dry-run shows all this and changes nothing.

      An editor that has the document open is asked to make the edits in its text. If the edits that \
      an undo takes back were sent with selections, what was selected before them is printed, and an \
      editor that can selects it. With conditions, that is what was selected at the first of the edits \
      that has a selection, where it stands in the new text. If no editor has it open, only the history \
      changes, not the file. --write also writes the file, which must have a text that the \
      history has, or be missing; otherwise nothing is changed. `write` does it later. Its encoding, byte order mark, line ends and last \
      newline stay.
      """))

  static let examples = [
    Example("editlog undo essay", "take back the last step"),
    Example("editlog undo essay --list", "the steps that can be undone"),
    Example("editlog undo essay --to 12", "go to a step, on any branch"),
    Example("editlog undo essay.md --write", "also in the file, if no editor has it open"),
    Example(
      "editlog undo essay --agent --since 15:00 --dry-run",
      "what taking back an agent's edits would change"),
  ]

  static var jsonLines: [JSONLine] {
    [
      .init("what was done", UndoAnswer.codec),
      .init("with --write, what was done, and the file", .writtenFile(UndoAnswer.codec)),
      .init("with --list, a step", ShownUndoStep.codec),
      .init("with --dry-run, what would be done", UndoPlanAnswer.codec),
      .init(
        "with --dry-run and --write, the file that would be written",
        .writtenFile(UndoPlanAnswer.codec)),
    ]
  }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Flag(help: "List the undo steps; change nothing.") var list = false
  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("count")],
    help: ArgumentHelp(
      "With --list: at most this number of steps, the newest. (default: all)", valueName: "count"))
  var count: Int?
  @Flag(help: "Show what would change; change nothing.")
  var dryRun = false
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Go to this step, on any branch; 0 is the start. (default: the step before)",
      valueName: "step"))
  var target: Int?
  @OptionGroup(title: "Conditions") var selecting: SelectionOptions
  @OptionGroup(title: "Steps") var grouping: GroupingOptions
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      """
      Author of the undo. (default: $EDITLOG_AUTHOR, else git's user.name, else your login name)
      """, valueName: "name"))
  var undoer: String?
  @OptionGroup var writing: WriteOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { (list || dryRun) && !common.json }

  func validate() throws {
    guard (count ?? 0) >= 0 else {
      throw ValidationError("--count (-n) takes a number of at least 0.")
    }
    guard count == nil || list else { throw ValidationError("--count (-n) needs --list.") }
    if writing.isOn, list { throw ValidationError("--write and --list exclude each other.") }
    if list, dryRun { throw ValidationError("--list and --dry-run exclude each other.") }
    if list, target != nil { throw ValidationError("--list and --to exclude each other.") }
    if let target, target < 0 { throw ValidationError("--to takes the number of a step, or 0.") }
    if let undoer, !Author.isValid(undoer) {
      throw ValidationError("--as takes a name of 1 to \(Author.sizeMax) bytes.")
    }
  }

  func run(in session: Session) async throws {
    let selection = try await selecting.selection(of: name, reading, in: session)
    guard selection == nil || target == nil && !list else {
      throw CommandError.usage("--list and --to take no conditions")
    }
    if list { return try await printSteps(session) }
    if dryRun { return try await printPlan(selection, session) }
    try await session.introduce(as: "undo", author: undoer)
    let files = FileChange(session: session, name: name, reading: reading)
    var written: DocumentFile?
    let undone = try await session.whenAtRest(atRest) {
      if writing.isOn {
        let plan = try await self.plan(selection, session)
        let done = try await files.perform(
          plan.edits, to: plan.base, making: \.sequence, on: session
        ) {
          UndoRequest(
            reading.reference($0), to: target, selection: selection, grouping: grouping.rule,
            base: plan.base, atRest: true)
        }
        written = done.file
        return done.answer
      }
      return try await session.perform(name) {
        UndoRequest(
          reading.reference($0), to: target, selection: selection, grouping: grouping.rule,
          atRest: atRest.waits)
      }
    }
    if common.json { return try session.printJSON(undone, UndoAnswer.codec, writing: written) }
    let sequence = session.style.paint("\(undone.sequence)", .sequence)
    let done =
      if target != nil {
        "went to step \(undone.step)"
      } else if selection != nil {
        "took back \(Self.count(undone.undone.count)) as step \(undone.step)"
      } else {
        "undid step \(undone.step)"
      }
    try session.output.writeLine("\(done); now at version \(sequence)\(written.alsoIn)")
    try undone.printSelection(session)
    try note(undone.remainders, session)
    if !writing.isOn { try await files.noteUnwritten(undone.sequence) }
  }

  private static func count(_ edits: Int) -> String { edits == 1 ? "1 edit" : "\(edits) edits" }

  private func plan(
    _ selection: UndoSelection?, _ session: Session
  ) async throws -> UndoPlanAnswer {
    try await session.ask(name, reading) {
      UndoPlanRequest($0, to: target, selection: selection, grouping: grouping.rule)
    }
  }

  private func printPlan(_ selection: UndoSelection?, _ session: Session) async throws {
    let plan = try await plan(selection, session)
    let files = FileChange(session: session, name: name, reading: reading)
    let planned = writing.isOn ? try await files.checkWriting(plan.edits, to: plan.base) : nil
    if common.json {
      return try session.printJSON(plan, UndoPlanAnswer.codec, writing: planned?.file)
    }
    defer { if let planned { files.note(planned) } }
    let what =
      if target != nil {
        "To go to step \(plan.step ?? 0) would change:"
      } else if let step = plan.step {
        "To undo step \(step) would change:"
      } else {
        "To take back \(Self.count(plan.undone.count)) (\(Excerpt.name("\(plan.undone)", width: 60))) would change:"
      }
    session.note(what)
    try plan.printDifference(session)
    try note(plan.remainders, session)
  }

  /// Lists what an undo leaves as it is, on the ground of what it takes back.
  private func note(_ remainders: [ShownRemainder], _ session: Session) throws {
    func excerpt(_ text: UTF16Text?) -> String {
      session.style.paint(Excerpt.name(String(text ?? UTF16Text()), width: 40), .plain)
    }
    for remainder in remainders {
      let place = session.style.paint("at \(remainder.location)", .range)
      let line =
        switch remainder.kind {
        case .stays:
          "stays \(place): \(excerpt(remainder.text)), inside \(excerpt(remainder.inside))"
        case .staysDeleted:
          "stays deleted \(place): \(excerpt(remainder.text))"
            + (remainder.deletedBy.map { ", deleted by edit \($0)" } ?? "")
        case .staysMoved:
          "stays \(place): \(excerpt(remainder.text))"
            + (remainder.movedBy.map { ", moved there by edit \($0)" } ?? "")
        }
      session.note(line)
    }
  }

  private func printSteps(_ session: Session) async throws {
    let steps = try await session.ask(name, reading) {
      UndoStepsRequest($0, grouping: grouping.rule)
    }.steps
    let countMax = count ?? steps.count
    if common.json {
      return try session.printJSON(each: steps.suffix(countMax), ShownUndoStep.codec)
    }
    guard !steps.isEmpty else { return session.note("There is nothing to undo.") }
    var table = session.table(
      [
        .init(title: "STEP"), .init(title: "FROM", isRight: true, rank: 1),
        .init(title: "EDITS", rank: 5), .init(title: "COUNT", isRight: true, rank: 3),
        .init(title: "TEXT", isRight: true), .init(title: "ORIGIN", rank: 2),
        .init(title: "TIME", rank: 4), .init(title: "AUTHOR", cutWidth: 8),
      ])
    for (step, graph) in zip(steps, ShownUndoStep.graph(steps)).suffix(countMax) {
      table.append(step.cells(graph: graph, session))
    }
    try session.print(&table)
  }
}

extension UndoPlanAnswer {
  /// Prints what would change in the text.
  func printDifference(_ session: Session) throws {
    let unified = session.shown(unified)
    try session.output.write(DiffCommand.paint(unified, session.style, hasHeader: false))
    if unified.isEmpty { session.note("The text would be the same.") }
  }
}

extension UndoAnswer {
  /// Prints the carets and selected ranges that the undo or redo gives back, if there are any.
  func printSelection(_ session: Session) throws {
    guard !selection.isEmpty else { return }
    try session.output.writeLine("selection: \(selection.shownAsSelection)")
  }
}

extension ShownUndoStep {
  /// The most columns of the graph.
  static let graphWidthMax = 20

  /// The graph before each step: its sign in the column of its branch, and a line in the column of each
  /// branch that goes on below. The last child of a step continues its branch; the other children begin
  /// new ones, each in the first free column. O(steps · columns).
  static func graph(_ steps: [ShownUndoStep]) -> [String] {
    let rows = Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1.step, $0) })
    var lastChild: [Int: Int] = [:]
    for step in steps { lastChild[step.parent] = step.step }
    // The last row of the branch that continues from each step.
    var ends = Array(steps.indices)
    for (row, step) in steps.enumerated().reversed() {
      if let child = lastChild[step.step].flatMap({ rows[$0] }) { ends[row] = ends[child] }
    }
    var columns: [Int: Int] = [:]
    /// The last row of each column that is taken so far.
    var taken = [lastChild[0].flatMap { rows[$0] }.map { ends[$0] } ?? -1]
    return steps.enumerated().map { row, step in
      let parentRow = rows[step.parent] ?? -1
      let column: Int
      if lastChild[step.parent] == step.step {
        column = columns[step.parent] ?? 0
      } else {
        // The line to the parent is free too.
        let free = taken.dropFirst().firstIndex { $0 <= parentRow } ?? taken.count
        column = min(free, graphWidthMax - 1)
        if column == taken.count { taken.append(-1) }
        taken[column] = max(taken[column], ends[row])
      }
      columns[step.step] = column
      let sign = step.isCurrent ? "●" : step.isUndone ? "◌" : "○"
      var cells = taken.map { $0 > row ? "│" : " " }
      cells[column] = sign
      while cells.last == " " { cells.removeLast() }
      return cells.joined(separator: " ")
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
