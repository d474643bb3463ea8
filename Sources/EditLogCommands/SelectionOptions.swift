import ArgumentParser
import EditModel
import EditProtocol

/// Options that select edits of a history. An edit must meet all of them.
struct SelectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only edits of this undo step. (default: any)", valueName: "step"))
  var step: Int?
  @Option(help: ArgumentHelp("Only edits of this author.", valueName: "name")) var author: String?
  @Option(
    help: ArgumentHelp(
      """
      Only edits of agents, or of the agent of this name: those of origin `program` that have an author. \
      (default: any)
      """,
      valueName: "name"))
  var agent: String?
  @Option(
    help: ArgumentHelp(
      "Only edits of this origin, such as paste. (default: any)", valueName: "origin"),
    completion: .list(Origin.allCases.map(\.name)))
  var origin: String?
  @Option(
    help: ArgumentHelp("Only edits of this run of a client. (default: any)", valueName: "session"))
  var session: String?
  @Option(
    help: ArgumentHelp(
      "Only edits that inserted and deleted text in this paragraph alone.", valueName: "id"))
  var paragraph: String?
  @Option(
    help: ArgumentHelp(
      "Only edits that inserted and deleted text in this range alone, in UTF-16 units.",
      valueName: "location,length"))
  var range: String?
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp("Only edits from this point on. (default: any)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp("Only edits up to this point. (default: any)", valueName: "point"),
    completion: .points)
  var until: String?

  /// The value of an `--agent` without a name. It is no name that anyone types.
  static let anyAgent = "\u{7F}"

  /// The arguments with a value after each `--agent` that has none: at the end, or before an option.
  static func completed(_ arguments: [String]) -> [String] {
    var result: [String] = []
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    for (index, argument) in arguments.enumerated() {
      let next = index + 1 < end ? arguments[index + 1] : "-"
      let isBare = index < end && argument == "--agent" && next.hasPrefix("-")
      result.append(isBare ? "--agent=\(anyAgent)" : argument)
    }
    return result
  }

  func validate() throws {
    if let step, step < 1 { throw ValidationError("--step takes the number of a step, from 1 on.") }
    for (option, name) in [("--author", author), ("--agent", agent)] {
      guard let name, !(option == "--agent" && name == Self.anyAgent) else { continue }
      guard Author.isValid(name) else {
        throw ValidationError("\(option) takes a name of 1 to \(Author.sizeMax) bytes.")
      }
    }
    if let origin, Origin(name: origin) == nil {
      let names = Origin.allCases.map(\.name).joined(separator: ", ")
      throw ValidationError("--origin takes one of \(names).")
    }
    if let session, SessionID(session) == nil {
      throw ValidationError("--session takes an identifier of 1 to \(SessionID.sizeMax) bytes.")
    }
  }

  /// The selection; nil if no option is given.
  func selection(
    of name: String, _ reading: ReadingOptions, in session: Session
  ) async throws -> UndoSelection? {
    var selection = UndoSelection()
    (selection.step, selection.author) = (step, author)
    selection.isAgent = agent == Self.anyAgent
    if agent != Self.anyAgent { selection.agent = agent }
    selection.origin = origin.flatMap { Origin(name: $0) }
    selection.session = self.session.flatMap { SessionID($0) }
    if let paragraph { selection.paragraph = try PlaceArguments.paragraph(paragraph) }
    if let range { selection.range = try PlaceArguments.range(range) }
    (selection.after, selection.through) = try await session.range(
      since: since, until: until, of: name, reading)
    return selection.isEmpty ? nil : selection
  }
}
