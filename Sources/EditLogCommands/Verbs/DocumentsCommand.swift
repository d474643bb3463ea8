import ArgumentParser
import EditModel
import EditProtocol

struct DocumentsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "documents", abstract: "List the documents there are.",
    discussion: """
      Exit status 65 if one of them is seen to be damaged; all others are listed. What is missing or \
      cut is always seen, other damage in a store of up to 1,000 documents; `editlog verify` reads \
      every byte.
      """)

  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let result = try await session.backend.call("editlog/documents", [:]).asObject()
    session.warn(of: result)
    let documents = try result.read("documents") { (json) throws(ShapeError) in try json.asArray() }
    let damagedCount = try documents.count { try $0.asObject()["problem"] != nil }
    try print(documents, session)
    guard damagedCount > 0 else { return }
    session.note("\(damagedCount) of them damaged; see `editlog verify`")
    throw ExitCode(65)
  }

  private func print(_ documents: [JSON], _ session: Session) throws {
    if common.json { return try session.printJSON(each: documents) }
    guard !documents.isEmpty else { return session.note("There are no documents yet.") }
    var table = Table(
      [
        .init(title: "EDITS", isRight: true), .init(title: "FIRST"), .init(title: "LAST"),
        .init(title: "SIZE", isRight: true), .init(title: "DOCUMENT"),
      ], style: session.style)
    for document in documents {
      let document = try document.asObject()
      table.append([
        .init(Numbers.grouped(try document.unsigned("sequence")), .sequence),
        .init(try session.localTime(document, "firstTime"), .time),
        .init(try session.localTime(document, "lastTime"), .time),
        .init(try document.integerIfPresent("bytes").map(Numbers.size) ?? ""),
        .init(
          try document.string("document").shown,
          document["problem"] == nil ? .plain : .bad),
      ])
    }
    try session.print(&table)
    for document in documents {
      let document = try document.asObject()
      let name = try document.string("document")
      guard name.utf8.contains(0) else { continue }
      session.note(
        """
        \(name.shown) cannot be given as an argument; it is document \
        \(try document.unsigned("number")) to `editlog forget --number`
        """)
    }
  }
}
