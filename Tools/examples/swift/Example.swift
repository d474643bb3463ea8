import EditClient
import EditModel
import EditProtocol
import Glibc

/// A client of editlogd, with nothing but the public API of the library EditLogClient.
///
///     example SOCKET append DOCUMENT TEXT...   logs each TEXT at the end of the document
///     example SOCKET show DOCUMENT             prints the document
///     example SOCKET follow DOCUMENT COUNT     prints COUNT edits as they are logged, old ones first
@main struct Example {
  let socket: String
  let document: DocumentID

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count > 2, let document = DocumentID(arguments[3]) else {
      return end("usage: example SOCKET append|show|follow DOCUMENT [TEXT...|COUNT]")
    }
    let example = Example(socket: arguments[1], document: document)
    let rest = Array(arguments.dropFirst(3))
    do {
      switch (arguments[2], Int(rest.first ?? "")) {
      case ("append", _): try await example.append(rest)
      case ("show", _): print(try await example.latest().text)
      case ("follow", let count?): try await example.follow(count)
      default: end("there is no verb \(arguments[2])")
      }
    } catch { end("\(error)") }
  }

  /// The newest version. A document that does not exist yet is empty.
  private func latest() async throws -> (text: UTF16Text, sequence: SequenceNumber) {
    let client = try await EditLogClient.connect(to: socket)
    do {
      let state = try await client.call(StateRequest(HistoryReference(document)))
      await client.close()
      return (state.text, state.sequence)
    } catch let error as ProtocolError where error.code == .unknownDocument {
      await client.close()
      return ("", 0)
    }
  }

  /// Logs each text at the end, and prints the number of its edit when it is on the disk. The daemon may
  /// be killed and started again meanwhile.
  private func append(_ texts: [String]) async throws {
    var (text, version) = try await latest()
    let appender = try await ResilientAppender.connect(
      to: socket, session: SessionID.newRun(of: "example")
    ) { _, result in
      if case .success(let result) = result { print(result.sequence) }
    }
    for added in texts {
      let end = UTF16Range(text.count..<text.count)
      let edit = AppendEdit(action: EditAction(replacing: end, with: UTF16Text(added)))
      // With a base, nothing is logged after an edit of someone else.
      try await appender.append(AppendRequest(document: document, base: version, edits: [edit]))
      text = UTF16Text("\(text)\(added)")
      version += 1
    }
    try await appender.flush()
    await appender.close()
  }

  /// Prints edits as they are logged, from the first one on.
  private func follow(_ count: Int) async throws {
    var left = count
    for try await delivery in EditFollower(document, at: socket, from: HistoryPosition()) {
      for case .edit(let edit) in delivery.entries where left > 0 {
        let (range, text) = (edit.action.range, edit.action.replacement ?? "")
        print("\(edit.sequence): \(range.location), \(range.length) units become \"\(text)\"")
        left -= 1
      }
      if left == 0 { return }
    }
  }

  private static func end(_ message: String) {
    let line = Array("example: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(1)
  }
}
