import ArgumentParser
package import EditJSON
import EditModel
import EditProtocol

/// A verb of the command line. It parses its arguments, calls the backend, prints the answer and
/// exits.
protocol Verb: AsyncParsableCommand, ExampleGiving, JSONPrinting {
  /// The options all verbs share.
  var common: CommonOptions { get }
  /// True if the output goes through a pager.
  var isPaged: Bool { get }
  /// True if the output is a table, whose long lines a pager may cut.
  var isTable: Bool { get }
  /// The backend that the verb asks.
  ///
  /// - Throws: `ProtocolError`, which ends the verb.
  func openBackend() async throws -> any Backend
  /// The verb with its arguments resolved against the documents of the store.
  func resolved(in session: Session) async throws -> Self
  /// Runs the verb. An exit status other than 0 is thrown as `ExitCode`.
  func run(in session: Session) async throws
}

extension Verb {
  var isPaged: Bool { !common.json }

  var isTable: Bool { true }

  func openBackend() async throws -> any Backend { try await common.open() }

  func resolved(in session: Session) async throws -> Self { self }

  func run() async throws {
    try await Session.run(common, isPaged: isPaged, isTable: isTable, openBackend) { session in
      try await resolved(in: session).run(in: session)
    }
  }
}

extension Session {
  /// Prints an object as a line of JSON, `"v": 1` first.
  package func printJSON(_ json: JSON) throws {
    let members = try json.asObject().members.filter { $0.name != "v" }
    try write(.object(JSONObject(unique: [JSONObject.Member(name: "v", value: 1)] + members)))
    try output.write("\n")
  }

  private func write(_ json: JSON) throws {
    guard width == nil else { return try write(json: json.serialized()) }
    var sink = OutputSink(output)
    json.serialize(to: &sink)
    try sink.finish()
  }

  /// Writes JSON, or a piece of it: as it is, or on a terminal with escapes in the place of characters
  /// that could control it.
  func write(json bytes: [UInt8]) throws {
    guard width != nil else { return try output.write(bytes: bytes) }
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
    try output.write(
      text.reduce(into: "") { result, scalar in
        guard scalar.value >= 0x7F, !scalar.showsItself else {
          return result.unicodeScalars.append(scalar)
        }
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      })
  }

  /// Prints an answer as a line of JSON.
  func printJSON<Answer>(_ answer: Answer, _ codec: Codec<Answer>) throws {
    try printJSON(codec.encode(answer))
  }

  /// Prints values as lines of JSON.
  func printJSON<Element>(each elements: some Sequence<Element>, _ codec: Codec<Element>) throws {
    for element in elements { try printJSON(codec.encode(element)) }
  }

  /// A document's text for the output: unchanged, or harmless if the output is a terminal.
  func shown(_ text: UTF16Text) -> String {
    width == nil ? String(text) : Excerpt.harmless(String(text))
  }

  func writeText(_ text: UTF16Text) throws { try output.write(shown(text)) }

  /// Prints the new lines of a table.
  func print(_ table: inout Table) throws {
    try output.write(table.takeLines())
  }
}
