import DaemonTestSupport
import EditJSON
import EditModel
import EditProtocol
import EditorSync
import Synchronization
import TestSupport
import Testing

@testable import EditIngest

/// An editor that sends messages about one document to an ingest, over a connection or a bridge.
struct EditorDriver {
  let ingest: Ingest
  let key: EditorKey
  let document: DocumentID
  private let requests = RequestCount()

  /// An editor that makes edits if it is asked to.
  ///
  /// - Parameter open: The documents that it had open before.
  init(
    _ harness: IngestHarness, _ key: EditorKey = .connection(1), _ name: String = "untitled:a",
    open: [ReopenedDocument] = []
  ) async throws {
    (ingest, self.key, document) = (harness.ingest, key, TestSupport.document(name))
    let client = LSPClient(
      InitializeParams(json: [
        "clientInfo": ["name": "Fake"], "capabilities": ["workspace": ["applyEdit": true]],
      ]))
    let requests = requests
    await ingest.setOutput(
      EditorOutput(source: 1) { _ in requests.note() }, of: key)
    if case .bridge = key { await ingest.connected(key) }
    try await send(.initialize(client, open: open))
  }

  /// How often it was asked to make edits.
  var askedCount: Int { requests.value }

  /// The ticket of a message, if it comes over a bridge.
  func ticket(_ counter: UInt64?) -> RequestTicket? {
    guard case .bridge(let session) = key, let counter else { return nil }
    return RequestTicket(session: session, counter: counter)
  }

  func send(_ message: LSPMessage, _ counter: UInt64? = nil) async throws {
    let answers = AsyncStream<Result<Void, ProtocolError>>.limited()
    ingest.submit(
      .editor(key, message, ticket: ticket(counter)) { answers.continuation.yield($0) }, from: 1)
    for await answer in answers.stream { return try answer.get() }
  }

  func open(_ text: String, _ counter: UInt64? = nil) async throws {
    try await send(
      .didOpen(DidOpenParams(uri: document, version: 1, text: UTF16Text(text))), counter)
  }

  /// Types a text at a column of the first line.
  func type(_ text: String, at column: Int = 0, _ counter: UInt64? = nil) async throws {
    let place = LSPPosition(line: 0, character: column)
    let change = DidChangeParams.Change(
      range: LSPRange(start: place, end: place), text: UTF16Text(text))
    try await send(.didChange(DidChangeParams(uri: document, changes: [change])), counter)
  }

  /// Replaces the whole text.
  func replace(by text: String, _ counter: UInt64? = nil) async throws {
    let change = DidChangeParams.Change(range: nil, text: UTF16Text(text))
    try await send(.didChange(DidChangeParams(uri: document, changes: [change])), counter)
  }

  func save(_ counter: UInt64? = nil) async throws {
    try await send(.didSave(DidSaveParams(uri: document)), counter)
  }

  func close(_ counter: UInt64? = nil) async throws {
    try await send(.didClose(TextDocumentParams(uri: document)), counter)
  }

  /// The error of a message; nil if it is acknowledged.
  func error(_ body: () async throws -> Void) async throws -> ProtocolError.Code? {
    do {
      try await body()
      return nil
    } catch let error as ProtocolError { return error.code }
  }
}

/// The number of requests that an editor got.
private final class RequestCount: Sendable {
  private let count = Mutex(0)
  func note() { count.withLock { $0 += 1 } }
  var value: Int { count.withLock { $0 } }
}
