import TestSupport

@testable import EditLogCommands

extension RealStore {
  /// A store with the document `d`, whose history `body` makes.
  static func scripted(_ body: (inout HistoryScript) throws -> Void) throws -> RealStore {
    var script = HistoryScript()
    try body(&script)
    return try RealStore(script.entries, document: "d")
  }

  /// The newest text of the document `d`.
  func text() async throws -> String { try await run(ShowCommand.self, ["d"]).printed }
}
