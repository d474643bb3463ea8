import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

struct UsageCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "du",
    abstract: "Show the disk space of each document and of the store.",
    discussion: withExamples(
      """
      DISK is the size of all that the store keeps of a document: its files, and its entries in the \
      journals, also those that are in a segment already. `documents` lists the size of the log alone.

      With --verbose also by kind and age. BLOCKS, FOOTERS and PARITY are the segments. ATTACHMENTS are the bytes that `attach` stores. \
      JOURNAL are the document's entries in the journals, sealed or not. The next four columns are the \
      blocks and the unsealed entries by the age of their last entry: up to a day, a week, 30 \
      days, and older. Only headers and footers are read, no blocks.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("a document", ShownUsage.codec),
      .init("all of the store, if no document is named", StoreUsage.codec),
    ]
  }

  static let examples = [
    Example("editlog du", "the disk space of all documents"),
    Example("editlog du essay --verbose", "that of one document, by kind and age"),
  ]

  @Argument(help: "Documents; all if none is named.", completion: .documents) var names: [String] =
    []
  @Flag(name: .shortAndLong, help: "Print all columns, however wide the terminal is.")
  var verbose = false
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let usage = try await session.backend.ask(UsageRequest())
    var rows = names.isEmpty ? usage.documents : []
    for name in names { rows.append(try await Self.find(name, usage, session)) }
    let totals = names.isEmpty ? usage.totals : nil
    if common.json {
      try session.printJSON(each: rows, ShownUsage.codec)
      if let totals {
        try session.printJSON(
          StoreUsage(totals: totals, documentCount: usage.documents.count), StoreUsage.codec)
      }
      return
    }
    try print(rows, session)
    if let totals { try print(totals, session) }
  }

  private static func find(
    _ name: String, _ usage: UsageAnswer, _ session: Session
  ) async throws -> ShownUsage {
    func row(of document: DocumentID) -> ShownUsage? {
      usage.documents.first { $0.document == document }
    }
    if let found = try await session.first(name, { row(of: $0) }) { return found.value }
    guard let row = try await session.renamedDocument(name).flatMap({ row(of: $0) }) else {
      let error = ProtocolError(.unknownDocument, "there is no document \(name.shown)")
      throw CommandError.notFound(await session.suggesting(error, for: name).message)
    }
    return row
  }

  private func print(_ rows: [ShownUsage], _ session: Session) throws {
    let kinds =
      verbose
      ? [
        "BLOCKS", "FOOTERS", "PARITY", "CHECKPOINTS", "ATTACHMENTS", "JOURNAL", "<1D", "<7D",
        "<30D", "OLDER",
      ] : []
    var table = session.table(
      [.init(title: "DISK", isRight: true)] + kinds.map { .init(title: $0, isRight: true) } + [
        .init(title: "EDITS", isRight: true, rank: 2),
        .init(title: "B/EDIT", isRight: true, rank: 1),
        .init(title: "DOCUMENT", cutWidth: 24),
      ], isWide: verbose)
    for row in rows {
      let sizes =
        verbose
        ? [
          row.blocks, row.footers, row.parity, row.checkpoints, row.attachments, row.journal,
          row.ages.day,
          row.ages.week, row.ages.month, row.ages.older,
        ] : []
      table.append(
        [.init(Numbers.size(row.size))] + sizes.map { .init(Numbers.size($0)) } + [
          .init(Numbers.grouped(row.editCount)),
          .init(row.bytesPerEdit.map { Numbers.decimal($0, 2) } ?? ""),
          .init(path: row.document.argument.shown),
        ])
    }
    try session.print(&table)
  }

  private func print(_ totals: UsageAnswer.Totals, _ session: Session) throws {
    let lines = [
      ("all", totals.size), ("journals, all", totals.journals),
      ("journals, besides entries", totals.journalOverhead),
      ("the store itself", totals.overhead), ("quarantine", totals.quarantine),
    ]
    var table = session.table(
      [.init(isRight: true), .init(isWrapped: true)], hasHeader: false)
    for (label, size) in lines {
      table.append([.init(label + ":", .header), .init(Numbers.size(size))])
    }
    try session.output.write(table.takeLines())
  }
}

/// The size of a store.
struct StoreUsage: Hashable, Sendable {
  var totals: UsageAnswer.Totals
  var documentCount: Int

  static let codec = Codec<Self>(
    { StoreUsage(totals: $0, documentCount: $1) }, .group(\.totals, UsageAnswer.Totals.codec),
    .required("documents", \.documentCount, .count))
}
