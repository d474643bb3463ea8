import ArgumentParser
import EditModel
import EditProtocol

struct RedoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Bring back what the last undo took back: a step, or a selection of edits.",
    discussion: withExamples(
      """
      A redo appends edits, so it can itself be undone. If another edit follows the undo, there is \
      nothing to redo; the step stays in `undo --list`, on its branch, and `undo --to` goes there. Right after the undo \
      of a selection, or a `restore`, a redo takes that back.

      An editor that has the document open is asked to make the edits in its text. If none has, only the \
      history changes, not the file. --write also writes the file, which must have a text that the \
      history has, or be missing; otherwise nothing is changed. `write` does it later.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("what was done", UndoAnswer.codec),
      .init("with --write, what was done, and the file", .writtenFile(UndoAnswer.codec)),
      .init("with --dry-run, what would be done", UndoPlanAnswer.codec),
      .init(
        "with --dry-run and --write, the file that would be written",
        .writtenFile(UndoPlanAnswer.codec)),
    ]
  }

  static let examples = [
    Example("editlog redo essay", "bring back what the last undo took back"),
    Example("editlog redo essay --dry-run", "what that would change"),
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @Flag(help: "Show what would change; change nothing.")
  var dryRun = false
  @OptionGroup var author: AuthorOption
  @OptionGroup(title: "Steps") var grouping: GroupingOptions
  @OptionGroup var writing: WriteOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { dryRun && !common.json }

  func run(in session: Session) async throws {
    if dryRun { return try await printPlan(session) }
    try await session.introduce(as: "redo", by: author)
    let files = FileChange(session: session, name: name, reading: reading)
    var written: DocumentFile?
    let redone = try await session.whenAtRest(atRest) {
      if writing.isOn {
        let plan = try await self.plan(session)
        let done = try await files.perform(
          plan.edits, to: plan.base, making: \.sequence, on: session
        ) {
          RedoRequest(
            reading.reference($0), grouping: grouping.rule, base: plan.base, atRest: true)
        }
        written = done.file
        return done.answer
      }
      return try await session.perform(name) {
        RedoRequest(reading.reference($0), grouping: grouping.rule, atRest: atRest.waits)
      }
    }
    if common.json { return try session.printJSON(redone, UndoAnswer.codec, writing: written) }
    let sequence = session.style.paint("\(redone.sequence)", .sequence)
    try session.output.writeLine(
      "redid step \(redone.step); now at version \(sequence)\(written.alsoIn)")
    try redone.printSelection(session)
    if !writing.isOn { try await files.noteUnwritten(redone.sequence) }
  }

  private func plan(_ session: Session) async throws -> UndoPlanAnswer {
    try await session.ask(name, reading) { RedoPlanRequest($0, grouping: grouping.rule) }
  }

  private func printPlan(_ session: Session) async throws {
    let plan = try await plan(session)
    let files = FileChange(session: session, name: name, reading: reading)
    let planned = writing.isOn ? try await files.checkWriting(plan.edits, to: plan.base) : nil
    if common.json {
      return try session.printJSON(plan, UndoPlanAnswer.codec, writing: planned?.file)
    }
    defer { if let planned { files.note(planned) } }
    session.note("To redo step \(plan.step ?? 0) would change:")
    try plan.printDifference(session)
  }
}
