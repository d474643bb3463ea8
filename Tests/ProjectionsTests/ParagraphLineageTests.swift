import EditModel
import Projections
import Testing
import TextState

/// One edit on a text, and what becomes of its paragraphs p0, p1, …; new ones are numbered on,
/// in document order.
struct LineageCase: Sendable, CustomTestStringConvertible {
  let what: String
  var text = "alpha\nbeta\ngamma"
  let edit: (location: Int, length: Int, text: String)
  /// The paragraphs after the edit.
  let after: String
  /// `p3<p1`: split from. `p1>p0`: merged into. `p1>`: gone, nothing left.
  var lineage = ""

  var testDescription: String { what }
}

@Suite struct ParagraphLineageTests {
  static let cases = [
    LineageCase(what: "type inside beta", edit: (8, 0, "x"), after: "p0 p1 p2"),
    LineageCase(
      what: "Return in the middle of beta", edit: (8, 0, "\n"), after: "p0 p1 p3 p2",
      lineage: "p3<p1"),
    LineageCase(
      what: "Return at the end of beta", edit: (10, 0, "\n"), after: "p0 p1 p3 p2",
      lineage: "p3<p1"),
    LineageCase(what: "Return at the start of beta", edit: (6, 0, "\n"), after: "p0 p3 p1 p2"),
    LineageCase(what: "Return at location 0", edit: (0, 0, "\n"), after: "p3 p0 p1 p2"),
    LineageCase(
      what: "Return on a blank line", text: "alpha\n\ngamma", edit: (6, 0, "\n"),
      after: "p0 p1 p3 p2", lineage: "p3<p1"),
    LineageCase(
      what: "delete the newline after alpha", edit: (5, 1, ""), after: "p0 p2", lineage: "p1>p0"),
    LineageCase(
      what: "backspace at the start of a paragraph below a blank one", text: "alpha\n\ngamma",
      edit: (6, 1, ""), after: "p0 p2", lineage: "p1>"),
    LineageCase(
      what: "delete all of alpha with its newline", edit: (0, 6, ""), after: "p1 p2",
      lineage: "p0>"),
    LineageCase(
      what: "delete all of beta with its newline", edit: (6, 5, ""), after: "p0 p2",
      lineage: "p1>"),
    LineageCase(
      what: "delete gamma with the newline before it", edit: (10, 6, ""), after: "p0 p1",
      lineage: "p2>"),
    LineageCase(what: "delete gamma's text only", edit: (11, 5, ""), after: "p0 p1 p2"),
    LineageCase(
      what: "delete everything", edit: (0, 16, ""), after: "p0", lineage: "p1> p2>"),
    LineageCase(what: "type into the emptied text", text: "", edit: (0, 0, "x"), after: "p0"),
    LineageCase(
      what: "paste 1 2 3 inside beta", edit: (8, 0, "1\n2\n3"), after: "p0 p1 p3 p4 p2",
      lineage: "p4<p1"),
    LineageCase(
      what: "paste two lines at beta's start", edit: (6, 0, "1\n2\n"), after: "p0 p3 p4 p1 p2"),
    LineageCase(
      what: "paste two lines at the end", edit: (16, 0, "\n1\n2"), after: "p0 p1 p2 p3 p4"),
    LineageCase(what: "append a newline at the end", edit: (16, 0, "\n"), after: "p0 p1 p2 p3"),
    LineageCase(
      what: "type into the empty last paragraph", text: "alpha\n", edit: (6, 0, "x"),
      after: "p0 p1"),
    LineageCase(
      what: "delete the last newline", text: "alpha\n", edit: (5, 1, ""), after: "p0",
      lineage: "p1>"),
    LineageCase(
      what: "replace across 1 newline by text with 1", edit: (3, 5, "x\ny"), after: "p0 p1 p2"),
    LineageCase(
      what: "replace across 1 newline by text with 2", edit: (3, 5, "x\ny\nz"),
      after: "p0 p3 p1 p2"),
    LineageCase(
      what: "replace across 2 newlines by plain text", edit: (3, 10, "x"), after: "p0",
      lineage: "p1> p2>p0"),
    LineageCase(
      what: "replace 3 paragraphs by 2", edit: (3, 10, "x\ny"), after: "p0 p2", lineage: "p1>"),
    LineageCase(
      what: "replace 3 paragraphs by 4", edit: (3, 10, "x\ny\nz\nw"), after: "p0 p1 p3 p2"),
  ]

  /// The rows of the identity table, as lineage.
  @Test(arguments: cases)
  func lineage(of row: LineageCase) throws {
    var runner = ProjectionRunner([ParagraphModels()])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, UTF16Text(row.text))))
    let old = runner.state
    let (location, length, text) = row.edit
    try runner.apply(Edit(sequence: 2, action: replace(location, length, UTF16Text(text))))

    let models = try #require(runner[ParagraphModels.self])
    let living = models.living(in: runner.state)
    var names: [ParagraphID: String] = [:]
    for paragraph in old.paragraphs { names[paragraph.id] = "p\(names.count)" }
    for model in living where names[model.id] == nil { names[model.id] = "p\(names.count)" }
    func name(_ id: ParagraphID?) -> String { id.flatMap { names[$0] } ?? "" }

    #expect(living.map { name($0.id) }.joined(separator: " ") == row.after)
    let born = living.filter { $0.born.sequence == 2 && $0.splitFrom != nil }
    let lineage =
      born.map { "\(name($0.id))<\(name($0.splitFrom))" }
      + models.dead.map { "\(name($0.id))>\(name($0.mergedInto))" }
    #expect(lineage.joined(separator: " ") == row.lineage)
    for model in models.dead {
      let range = try #require(old.paragraph(model.id)).descriptor.range
      #expect(model.death?.lastText == old.text(in: range))
    }
  }
}
