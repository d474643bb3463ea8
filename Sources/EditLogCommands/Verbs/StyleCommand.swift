import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Styling

struct StyleCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "style",
    abstract: "Change the attributes of a range, or of the paragraphs that it touches.",
    discussion: withExamples(
      """
      Appends one edit of origin format, which can be undone. --set NAME=VALUE adds an attribute; the \
      value is JSON, such as true, 2 or "a b", and anything else is a string; NAME alone is true. bold, \
      italic, underline, strikethrough and dim are true or false; foreground and background are colours, such as \
      #1c5a91 or navy. \
      With --only, the units get the attributes of --set and no others. --remove removes attributes. \
      --paragraphs widens the range to whole paragraphs, terminators included.
      """))

  static let examples = [
    Example("editlog style essay --range 120,15 --set bold", "set an attribute on a range"),
    Example(
      "editlog style essay --range 0,1 --paragraphs --set heading=1",
      "make the first paragraph a heading"),
    Example("editlog style essay --range 120,15 --remove bold", "remove the attribute again"),
  ]

  static var jsonLines: [JSONLine] { [.init("what was done", StyleAnswer.codec)] }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The range, in UTF-16 units. (required)", valueName: "location,length"))
  var range: String
  @Flag(help: "Style all of the paragraphs that the range touches.") var paragraphs = false
  @Option(help: ArgumentHelp("Add an attribute. (default: none)", valueName: "name=value")) var set:
    [String] = []
  @Flag(help: "Remove all attributes that --set does not name.") var only = false
  @Option(help: ArgumentHelp("Remove an attribute. (default: none)", valueName: "name")) var remove:
    [String] = []
  @OptionGroup var author: AuthorOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard remove.isEmpty || set.isEmpty && !only else {
      throw ValidationError("--remove excludes --set and --only.")
    }
    guard !remove.isEmpty || !set.isEmpty || only else {
      throw ValidationError("Give --set, --only or --remove.")
    }
  }

  func run(in session: Session) async throws {
    let range = try PlaceArguments.range(range)
    let intent = try intent()
    try await session.introduce(as: "style", by: author)
    let styled = try await session.whenAtRest(atRest) {
      try await session.perform(name) {
        StyleRequest(
          reading.reference($0), range, intent, isOfParagraphs: paragraphs,
          atRest: atRest.waits)
      }
    }
    if common.json { return try session.printJSON(styled, StyleAnswer.codec) }
    let sequence = session.style.paint("\(styled.sequence)", .sequence)
    guard styled.isChanged else {
      return session.note("The range has these attributes already; nothing was changed.")
    }
    try session.output.writeLine(
      "styled \(styled.range.location),\(styled.range.length); now at version \(sequence)")
  }

  private func intent() throws(CommandError) -> AttributeIntent {
    if !remove.isEmpty { return .remove(remove) }
    var attributes = AttributeSet()
    for argument in set {
      let (name, value) = try Self.attribute(argument)
      attributes[name] = value
    }
    return only ? .set(attributes) : .merge(attributes)
  }

  /// The attribute in `NAME=VALUE`. Refuses invalid values of direct style attributes.
  static func attribute(
    _ argument: String
  ) throws(CommandError) -> (name: String, value: AttributeValue) {
    let (name, value) = try parsed(argument)
    if let problem = Theme.problem(of: name, value) { throw .usage("--set: \(name) \(problem)") }
    return (name, value)
  }

  private static func parsed(
    _ argument: String
  ) throws(CommandError) -> (name: String, value: AttributeValue) {
    guard let sign = argument.firstIndex(of: "=") else { return (argument, .bool(true)) }
    let (name, text) = (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    guard let json = try? JSON.parse(text, limits: .message) else { return (name, .string(text)) }
    do throws(ShapeError) { return (name, try AttributeValue(json: json)) } catch {
      let place = name.shown + Self.place(error.path, in: json)
      throw .usage("--set: \(ShapeError(Excerpt.name(place, width: 80), error.problem))")
    }
  }

  /// The place of an error in a value, such as `.size[1]`. In the error's own path, members of maps are
  /// numbers.
  private static func place(_ path: String, in json: JSON) -> String {
    var (place, value): (String, JSON?) = ("", json)
    for part in path.split(whereSeparator: { $0 == "[" || $0 == "]" || $0 == "." }) {
      switch value {
      case .object(let object):
        let member =
          Int(part).flatMap { object.members.indices.contains($0) ? object.members[$0] : nil }
        let name = member?.name ?? String(part)
        place += ".\(name)"
        value = member?.value ?? object[name]
      case .array(let elements):
        place += "[\(part)]"
        value = Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: place += ".\(part)"
      }
    }
    return place
  }
}
