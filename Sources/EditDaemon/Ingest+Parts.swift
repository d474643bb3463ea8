import EditModel
import EditProtocol
import Synchronization
import TextState

/// A request about several documents is split into one request for each, so that each waits for its
/// own document, and other sources get turns in between.
extension Ingest {
  /// Most parts made by one split, and the least number of requests that may be staged in one turn
  /// of a source.
  static let partsMax = 256

  /// The parts of a request. Returns nil if there is nothing to split.
  func parts(of request: IngestRequest) -> [IngestRequest]? {
    guard case .editor(let key, let message, let ticket, let reply) = request else { return nil }
    switch message {
    case .initialize(let client, let open) where !open.isEmpty:
      return [
        .editor(key, .initialize(client, open: []), ticket: ticket, reply),
        .editor(key, .reopened(open[...]), ticket: nil, { _ in }),
      ]
    case .reopened(let open) where open.count > 1:
      let (first, rest) = (open.prefix(Self.partsMax), open.dropFirst(Self.partsMax))
      return first.indices.map { .editor(key, .reopened(open[$0...$0]), ticket: nil, { _ in }) }
        + [.editor(key, .reopened(rest), ticket: ticket, reply)]
    case .end:
      guard let open = editors[key]?.documents, !open.isEmpty else { return nil }
      return open.keys.sorted { $0.precedes($1) }.map { id in
        .editor(key, .didClose(TextDocumentParams(uri: id)), ticket: nil, { _ in })
      } + [.editor(key, .ended, ticket: ticket, reply)]
    case .didRenameFiles(let params) where params.files.count > 1:
      let count = min(Self.partsMax, params.files.count - 1)
      let rest = DidRenameFilesParams(files: Array(params.files.dropFirst(count)))
      return split(
        request, params.files.prefix(count).map { (.didRenameFiles(.init(files: [$0])), ticket) },
        rest: .didRenameFiles(rest))
    case .didRenameFiles(let params):
      let session = session(of: key)
      let renames = params.files.flatMap { session.renames(with: $0, in: surroundings) }
      return split(request, renames.map { (.renamed($0), ticket) }, rest: .other)
    case .renamed(let rename):
      return parts(of: rename, key, ticket, reply)
    case .didChange(let params, as: .renamed(let old)):
      return split(
        request, untold(from: old, to: params.uri, by: key), rest: .didChange(params, as: .unknown))
    case .didSave(let params, as: .renamed(let old)):
      return split(
        request, untold(from: old, to: params.uri, by: key), rest: .didSave(params, as: .unknown))
    default: return nil
    }
  }

  /// A request for each message and one for the rest, which answers the request: with an error if any
  /// of them failed.
  private func split(
    _ request: IngestRequest, _ messages: [(LSPMessage, RequestTicket?)], rest: LSPMessage
  ) -> [IngestRequest]? {
    guard case .editor(let key, _, let ticket, let reply) = noting(request) else { return nil }
    let outcome = PartsOutcome()
    return messages.map { .editor(key, $0.0, ticket: $0.1, { outcome.note($0) }) }
      + [.editor(key, rest, ticket: ticket, { reply(outcome.result(with: $0)) })]
  }

  /// If the new name has a history of its own, the document is closed, and the other is opened with
  /// its text.
  private func parts(
    of rename: DidRenameFilesParams.Rename, _ key: EditorKey, _ ticket: RequestTicket?,
    _ reply: @escaping IngestRequest.Reply<Void>
  ) -> [IngestRequest]? {
    let (old, new) = (rename.oldURI, rename.newURI)
    let document = documents[old]
    // It is read first.
    if document == nil, needsReading(old) { return nil }
    // It was sent again: later requests of its session are in the log.
    if document?.place(of: ticket)?.isAfter(ticket) == true { return [] }
    guard isKnown(new) else { return nil }
    let session = session(of: key)
    log(.renamedOntoKnown(old), of: session.client)
    guard let opened = session.documents[old] else { return [] }
    var messages: [LSPMessage] = [.didClose(TextDocumentParams(uri: old))]
    if session.documents[new] == nil {
      let text = document?.state.text ?? ""
      messages.append(.didOpen(DidOpenParams(uri: new, version: opened.version, text: text)))
    }
    return messages.map { .editor(key, $0, ticket: nil, reply) }
  }

  /// The rename of an open document that the editor has not told of. It has no ticket: with one, the
  /// message that it was found by would count as sent again.
  private func untold(
    from old: DocumentID, to new: DocumentID, by key: EditorKey
  ) -> [(LSPMessage, RequestTicket?)] {
    let session = session(of: key)
    guard session.documents[old] != nil, session.documents[new] == nil else { return [] }
    log(.renamedUntold(from: old), of: session.client)
    return [(.renamed(.init(oldURI: old, newURI: new)), nil)]
  }
}

/// The outcome of the parts of a request.
private final class PartsOutcome: Sendable {
  private let error = Mutex<ProtocolError?>(nil)

  /// Notes the result of a part.
  func note(_ result: Result<Void, ProtocolError>) {
    guard case .failure(let failure) = result else { return }
    error.withLock { $0 = $0 ?? failure }
  }

  /// The result of the request, of which `last` is the last part's.
  func result(with last: Result<Void, ProtocolError>) -> Result<Void, ProtocolError> {
    error.withLock { $0 }.map { .failure($0) } ?? last
  }
}
