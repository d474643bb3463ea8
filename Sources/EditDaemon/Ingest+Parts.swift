import EditModel
import EditProtocol
import Synchronization
import TextState

/// A request about several documents is split into one request for each, so that each waits for its
/// own document, and other sources get turns in between.
extension Ingest {
  /// Most parts made by one split of `reopened`, and the least number of requests that may be staged
  /// in one turn of a source.
  static let partsMax = 256

  /// The parts of a request about all documents of an editor. Returns nil if there is nothing to
  /// split.
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
    default: return nil
    }
  }

  /// The parts of a request that renames documents and does not have to wait. Returns nil if there is
  /// nothing to split.
  func partsOfRename(_ request: IngestRequest) -> [IngestRequest]? {
    guard case .editor(let key, let message, let ticket, let reply) = request else { return nil }
    switch message {
    case .didRenameFiles(let params):
      if isLogged(params, ticket) { return [.editor(key, .other, ticket: ticket, reply)] }
      let renames = renames(by: params, of: key)
      return split(
        request,
        (renames.moves.isEmpty ? [] : [(.renamed(renames.moves), ticket)])
          + renames.ontoKnown.map { (.renamedOntoKnown($0), nil) }, rest: .other)
    case .renamedOntoKnown(let rename):
      return parts(ofRenameOntoKnown: rename, key, reply)
    case .didChange(let params, as: .renamed(let old)):
      return split(
        request, unannouncedRename(of: old, to: params.uri, by: key),
        rest: .didChange(params, as: .unknown))
    case .didSave(let params, as: .renamed(let old)):
      return split(
        request, unannouncedRename(of: old, to: params.uri, by: key),
        rest: .didSave(params, as: .unknown))
    case .following(let outcome, let message):
      guard let error = outcome.error else {
        return [.editor(key, message, ticket: ticket, reply)]
      }
      notingFailure(of: request).refuse(error)
      return []
    default: return nil
    }
  }

  /// A request for each message, and one for the rest if none of them fails.
  private func split(
    _ request: IngestRequest, _ messages: [(LSPMessage, RequestTicket?)], rest: LSPMessage
  ) -> [IngestRequest]? {
    guard case .editor(let key, _, let ticket, let reply) = request else { return nil }
    let outcome = PartsOutcome()
    return messages.map { .editor(key, $0.0, ticket: $0.1, { outcome.note($0) }) }
      + [.editor(key, .following(outcome, rest), ticket: ticket, reply)]
  }

  /// The document is closed, and the one that has its new name is opened with its text.
  private func parts(
    ofRenameOntoKnown rename: DidRenameFilesParams.Rename, _ key: EditorKey,
    _ reply: @escaping IngestRequest.Reply<Void>
  ) -> [IngestRequest] {
    let (old, new, session) = (rename.oldURI, rename.newURI, session(of: key))
    log(.renamedOntoKnown(old), of: session.client)
    guard let opened = session.documents[old] else { return [] }
    var messages: [LSPMessage] = [.didClose(TextDocumentParams(uri: old))]
    if session.documents[new] == nil {
      do throws(ProtocolError) {
        let text = try liveDocument(old).state.text
        messages.append(.didOpen(DidOpenParams(uri: new, version: opened.version, text: text)))
      } catch {
        reply(.failure(error))
        return []
      }
    }
    return messages.map { .editor(key, $0, ticket: nil, reply) }
  }

  /// The rename of an open document that the editor has not told of. It has no ticket: with one, the
  /// message that it was found by would count as sent again.
  private func unannouncedRename(
    of old: DocumentID, to new: DocumentID, by key: EditorKey
  ) -> [(LSPMessage, RequestTicket?)] {
    let session = session(of: key)
    guard session.documents[old] != nil, session.documents[new] == nil else { return [] }
    log(.renamedUntold(from: old), of: session.client)
    let rename = DidRenameFilesParams.Rename(oldURI: old, newURI: new)
    return [(isKnown(new) ? .renamedOntoKnown(rename) : .renamed([rename]), nil)]
  }
}

/// The outcome of the parts of a request.
final class PartsOutcome: Sendable {
  private let failure = Mutex<ProtocolError?>(nil)

  /// The error of the first part that failed.
  var error: ProtocolError? { failure.withLock { $0 } }

  /// Notes the result of a part.
  func note(_ result: Result<Void, ProtocolError>) {
    guard case .failure(let error) = result else { return }
    failure.withLock { $0 = $0 ?? error }
  }
}
