import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport

/// Calls, in the short form that the tests need.
extension EditLogClient {
  func append(
    _ name: String, _ edits: AppendEdit..., base: SequenceNumber? = nil,
    ticket: RequestTicket? = nil
  ) async throws -> AppendResult {
    try await append(
      AppendRequest(document: document(name), base: base, ticket: ticket, edits: edits))
  }

  /// The text of a version.
  func text(of name: String, at point: JSON = .null) async throws -> String {
    try await call("editlog/state", ["document": JSON(name), "at": point])
      .asObject().string("text")
  }

  /// The entries of a document, all of them.
  func entries(of name: String) async throws -> [HistoryEntry] {
    let json = try await call("editlog/log", ["document": JSON(name)])
    return try json.asObject().array("entries") { (json) throws(ShapeError) in
      try HistoryEntry(json: json)
    }
  }

  func edits(of name: String) async throws -> [Edit] {
    try await entries(of: name).compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
  }

  func events(of name: String) async throws -> [HistoryEvent.Kind] {
    try await entries(of: name).compactMap {
      if case .event(let event) = $0 { event.kind } else { nil }
    }
  }
}
