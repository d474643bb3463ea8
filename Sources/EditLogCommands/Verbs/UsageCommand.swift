import ArgumentParser
import EditModel
import EditProtocol

struct UsageCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "du",
    abstract: "Show what the store takes, by document, kind and age.",
    discussion: """
      BLOCKS, FOOTERS and PARITY are the segments; JOURNAL is what the document has in the \
      journals, sealed already or not. The four columns behind are the blocks and the unsealed \
      entries by the age of their last entry: up to a day, a week, 30 days, and older. Headers and \
      footers are read, no block.
      """)

  @Argument(help: "Documents; all where none is named.") var names: [String] = []
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let result = try await session.backend.call("editlog/usage", [:]).asObject()
    let all = try result.array("documents") { (json) throws(ShapeError) in try json.asObject() }
    let rows = try names.isEmpty ? all : names.map { try Self.find($0, in: all) }
    let totals = names.isEmpty ? result : nil
    if common.json {
      for row in rows { try session.printJSON(row) }
      if var totals {
        totals["documents"] = JSON(all.count)
        try session.printJSON(totals)
      }
      return
    }
    try print(rows, session)
    if let totals { try print(totals: totals, session) }
  }

  private static func find(_ name: String, in rows: [JSONObject]) throws -> JSONObject {
    for candidate in try DocumentName(name).candidates {
      if let row = try rows.first(where: { try $0.document("document") == candidate }) {
        return row
      }
    }
    throw CommandError.notFound("there is no document \(name.shown)")
  }

  private static let columns = [
    ("SIZE", "bytes"), ("BLOCKS", "blocks"), ("FOOTERS", "footers"), ("PARITY", "parity"),
    ("CHECKPOINTS", "checkpoints"), ("JOURNAL", "journal"),
  ]
  private static let ages = [
    ("<1D", "day"), ("<7D", "week"), ("<30D", "month"), ("OLDER", "older"),
  ]

  private func print(_ rows: [JSONObject], _ session: Session) throws {
    let titles = Self.columns.map(\.0) + Self.ages.map(\.0) + ["EDITS", "B/EDIT"]
    var table = Table(
      titles.map { .init(title: $0, isRight: true) } + [.init(title: "DOCUMENT")],
      style: session.style)
    for row in rows {
      let ages = try row.read("ages") { (json) throws(ShapeError) in try json.asObject() }
      let sizes =
        try Self.columns.map { try row.integerIfPresent($0.1) ?? 0 }
        + Self.ages.map { try ages.integerIfPresent($0.1) ?? 0 }
      let edits = try row.integerIfPresent("edits") ?? 0
      let bytes = try row.integerIfPresent("bytes") ?? 0
      let each = edits > 0 ? Numbers.decimal(Double(bytes) / Double(edits), 2) : ""
      table.append(
        sizes.map { .init(Numbers.size($0)) }
          + [
            .init(Numbers.grouped(edits)), .init(each),
            .init(try row.string("document").shown),
          ])
    }
    try session.print(&table)
  }

  private func print(totals: JSONObject, _ session: Session) throws {
    let lines = [
      ("all", "bytes"), ("journals, all", "journals"),
      ("journals, besides entries", "journalOverhead"), ("the store itself", "overhead"),
      ("quarantine", "quarantine"),
    ]
    var table = Table([.init(isRight: true), .init()], style: session.style, hasHeader: false)
    for (label, member) in lines {
      let size = Numbers.size(try totals.integerIfPresent(member) ?? 0)
      table.append([.init(label + ":", .header), .init(size)])
    }
    try session.output.write(table.takeLines())
  }
}
