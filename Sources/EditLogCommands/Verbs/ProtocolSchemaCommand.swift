import ArgumentParser
import EditJSON
import EditProtocol
import Glibc

/// Prints the JSON Schema of every method, for authors of clients. `Tools/protocol-schema` runs it.
struct ProtocolSchemaCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "protocol-schema",
    abstract: "Print a JSON Schema of the params and the result of every method of the socket.",
    discussion: withExamples(),
    shouldDisplay: false)

  static let examples = [
    Example(
      "editlog protocol-schema > editlog.schema.json",
      "what a client of the socket can be checked against")
  ]

  func run() async throws {
    let output = Output(descriptor: STDOUT_FILENO)
    try output.write(bytes: Methods.schema.serialized() + [0x0A])
    try output.finish()
  }
}
