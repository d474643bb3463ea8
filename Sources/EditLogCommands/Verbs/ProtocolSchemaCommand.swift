import ArgumentParser
import EditJSON
import EditProtocol
import Glibc

/// Prints the JSON Schema of every method, for authors of clients. `Tools/protocol-schema` runs it.
struct ProtocolSchemaCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "protocol-schema",
    abstract:
      "Print a JSON Schema, or TypeScript, of the params and the result of every method of the socket.",
    discussion: withExamples(),
    shouldDisplay: false)

  static let examples = [
    Example(
      "editlog protocol-schema > editlog.schema.json",
      "what a client of the socket can be checked against"),
    Example(
      "editlog protocol-schema --typescript > editlog.d.ts", "the same as a TypeScript declaration"),
  ]

  @Flag(
    name: .customLong("typescript"), help: "Print a TypeScript declaration instead of JSON Schema.")
  var isTypeScript = false

  func run() async throws {
    let output = Output(descriptor: STDOUT_FILENO)
    if isTypeScript {
      try output.write(TypeScriptDeclaration(of: Methods.schema).text)
    } else {
      try output.write(bytes: Methods.schema.serialized() + [0x0A])
    }
    try output.finish()
  }
}
