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
      of a selection, or a `restore`, a redo takes that back. An \
      editor that has the document open is asked to make the edits in its text.
      """))

  static var jsonLines: [JSONLine] { [.init("what was done", UndoAnswer.codec)] }

  static let examples = [
    Example("editlog redo essay", "bring back what the last undo took back")
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @OptionGroup var author: AuthorOption
  @OptionGroup(title: "Steps") var grouping: GroupingOptions
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.introduce(as: "redo", by: author)
    let redone = try await session.whenAtRest(atRest) {
      try await session.perform(name) {
        RedoRequest(reading.reference($0), grouping: grouping.rule, atRest: atRest.waits)
      }
    }
    if common.json { return try session.printJSON(redone, UndoAnswer.codec) }
    let sequence = session.style.paint("\(redone.sequence)", .sequence)
    try session.output.writeLine("redid step \(redone.step); now at version \(sequence)")
    try redone.printSelection(session)
    try await FileRestore(session: session, name: name, reading: reading).noteUnwritten()
  }
}
