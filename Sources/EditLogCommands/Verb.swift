import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

/// A verb of the command line: parse, call the backend, print, exit status.
protocol Verb: AsyncParsableCommand {
  /// The options all verbs share.
  var common: CommonOptions { get }
  /// True where the output is read from top to bottom, and so through a pager.
  var isPaged: Bool { get }
  /// Does the work. A status other than 0 is thrown as `ExitCode`.
  func run(in session: Session) async throws
}

extension Verb {
  var isPaged: Bool { !common.json }

  func run() async throws {
    try await Session.run(common, isPaged: isPaged) { try await run(in: $0) }
  }
}

extension Session {
  /// Prints an object as a line of JSON, `"v": 1` first.
  func printJSON(_ json: JSON) throws {
    var line: JSONObject = ["v": 1]
    for member in try json.asObject().members where member.name != "v" {
      line[member.name] = member.value
    }
    var bytes = JSON.object(line).serialized()
    bytes.append(0x0A)
    try output.write(bytes: bytes)
  }

  /// Prints an answer as a line of JSON.
  func printJSON<Answer>(_ answer: Answer, _ codec: Codec<Answer>) throws {
    try printJSON(codec.encode(answer))
  }

  /// Prints values as lines of JSON.
  func printJSON<Element>(each elements: [Element], _ codec: Codec<Element>) throws {
    for element in elements { try printJSON(codec.encode(element)) }
  }

  /// A document's text as it is printed: as it is, or on a terminal without what could control it.
  func shown(_ text: UTF16Text) -> String {
    width == nil ? String(text) : Excerpt.harmless(String(text))
  }

  /// Prints a document's text.
  func writeText(_ text: UTF16Text) throws { try output.write(shown(text)) }

  /// Prints the lines of a table, its header first.
  func print(_ table: inout Table) throws {
    try output.write(table.takeLines())
  }
}
