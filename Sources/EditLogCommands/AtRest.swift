import ArgumentParser
import EditProtocol

/// The option of verbs that change a document.
struct AtRestOption: ParsableArguments {
  @Flag(
    name: .customLong("at-rest"),
    help: """
      If an editor has the document open, wait until it is closed there. Without this, the editor is \
      asked to make the change in its text; if it does not within 2 s, the exit status is 75.
      """)
  var waits = false
}

/// The option of verbs that change a document which is a file.
struct WriteOption: ParsableArguments {
  @Flag(
    name: .customLong("write"),
    help:
      "Also write the document's file, if it has a text of the history or is missing."
  )
  var isOn = false
}

extension Session {
  /// The result of `body`. While an editor has the document open, it is tried again, if `waits`.
  func whenAtRest<Value>(
    _ option: AtRestOption, _ body: () async throws -> Value
  ) async throws -> Value {
    var hasSaid = false
    while true {
      do {
        return try await body()
      } catch let error as ProtocolError where error.code == .openInEditor && option.waits {
        if !hasSaid { note("editlog: waiting: an editor has the document open") }
        hasSaid = true
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }
}
