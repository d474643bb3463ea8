import ArgumentParser
import EditClient
import EditModel
import EditProtocol

struct StatusCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the daemon and its store are.")

  @Flag(help: "Print where each history ends, as `verify --head` takes it.") var heads = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// The members that people ask for first, in this order.
  private static let first = [
    "version", "daemon", "started", "path", "store", "socket", "documents", "edits", "unsealed",
  ]

  func run(in session: Session) async throws {
    var status = try await session.backend.call(
      "editlog/status", heads ? ["heads": true] : [:]
    ).asObject()
    let spools = Self.spools(session)
    if common.json {
      status["spools"] = .array(spools.map(\.json))
      return try session.printJSON(status)
    }
    let names = status.members.map(\.name).filter { $0 != "v" && $0 != "damage" && $0 != "heads" }
    let ordered = Self.first.filter(names.contains) + names.filter { !Self.first.contains($0) }
    var table = Table(
      [.init(isRight: true), .init()], style: session.style, hasHeader: false)
    for name in ordered {
      let value = Self.show(name, status[name] ?? .null, session)
      table.append([.init(Self.label(name) + ":", .header), .init(value)])
    }
    let damage = try status.readIfPresent("damage") { (json) throws(ShapeError) in
      try json.asArray()
    }
    let isAside = try status.integerIfPresent("quarantined") ?? 0 > 0
    table.append([.init("damage:", .header), Self.verdict(damage ?? [], isAside: isAside)])
    try session.output.write(table.takeLines())
    for finding in damage ?? [] {
      try session.output.writeLine("  " + Self.show("", finding, session))
    }
    for spool in spools { try session.output.writeLine(Self.line(spool, session)) }
    guard heads else { return }
    let heads = try status.array("heads") { (json) throws(ShapeError) in
      try json.asString().description
    }
    for head in heads { try session.output.writeLine(Excerpt.line(head, width: nil)) }
  }

  /// A member's name as people read it; that a size is in bytes, its unit says.
  private static func label(_ name: String) -> String {
    var words = ""
    for letter in name {
      words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
    }
    return words.hasSuffix(" bytes") ? String(words.dropLast(6)) : words
  }

  /// What is known of damage without reading every byte.
  private static func verdict(_ damage: [JSON], isAside: Bool) -> Table.Cell {
    if !damage.isEmpty { return .init("found; see `editlog verify`", .bad) }
    return isAside
      ? .init("something is in quarantine; see `editlog verify`", .warning)
      : .init("none known; `editlog verify` reads every byte", .good)
  }

  /// A member's value as people read it: sizes with a unit, times as local clocks show them.
  private static func show(_ name: String, _ value: JSON, _ session: Session) -> String {
    switch value {
    case .string(let string):
      Timestamp(rfc3339: string.description).map(session.localTime)
        ?? Excerpt.line(string.description, width: nil)
    case .integer(let number) where name.lowercased().hasSuffix("bytes"): Numbers.size(number)
    case .integer(let number): Numbers.grouped(number)
    case .bool(let bool): bool ? "yes" : "no"
    case .null: "-"
    case .double, .array: Excerpt.line(value.description, width: nil)
    case .object(let object):
      object.members.map { "\($0.name.shown) \(show($0.name, $0.value, session))" }.joined(
        separator: ", ")
    }
  }
}
