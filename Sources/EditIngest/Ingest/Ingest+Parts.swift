import EditModel
import EditProtocol
import EditorSync
import TextState

/// Splits requests about several documents, so that each part waits only for its own documents, and
/// other sources get turns between the parts.
extension Ingest {
  /// The maximum number of parts of `reopened`. A source may stage at least as many requests in one
  /// turn.
  static let partsMax = 256

  /// The parts of a request about all open documents of an editor, or of several appends. Nil if the
  /// request is not split.
  func parts(of request: IngestRequest) -> [IngestRequest]? {
    if case .appended(let append) = request { return append.split() }
    guard case .editor(let key, let message, let ticket, _, let reply) = request else {
      return nil
    }
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
      guard let open = desk[key]?.documents, !open.isEmpty else { return nil }
      return open.keys.sorted { $0.precedes($1) }.map { id in
        .editor(key, .didClose(TextDocumentParams(uri: id)), ticket: nil, { _ in })
      } + [.editor(key, .ended, ticket: ticket, reply)]
    default: return nil
    }
  }

  /// The parts of a request that renames documents and does not have to wait. Returns nil if the
  /// request is not split.
  func partsOfRename(_ request: IngestRequest) -> [IngestRequest]? {
    guard case .editor(let key, let message, let ticket, let timing, let reply) = request else {
      return nil
    }
    switch message {
    case .didRenameFiles(let params):
      let renames: LSPRenames
      do { renames = try self.renames(by: params, of: key, ticket) } catch {
        request.refuse(error)
        return []
      }
      if let refusal = renames.refusal {
        let what = "params.files \(refusal), and none is renamed; use several messages"
        request.refuse(ProtocolError(.invalidParams, what))
        return []
      }
      return split(
        request,
        renames.parts.map { .renamed($0) } + renames.ontoKnown.map { .renamedOntoKnown($0) },
        rest: .other)
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
    case .didChange(let params, as: .copied(let old)):
      return split(
        request, unannouncedCopy(of: old, to: params.uri, by: key),
        rest: .didChange(params, as: .unknown))
    case .didSave(let params, as: .copied(let old)):
      return split(
        request, unannouncedCopy(of: old, to: params.uri, by: key),
        rest: .didSave(params, as: .unknown))
    case .part(let outcome, let message, let hasTicket):
      do throws(ProtocolError) {
        if let error = outcome.error { throw error }
        try turns.check(ticket)
      } catch {
        notingFailure(of: request).refuse(error)
        return []
      }
      return [
        .editor(key, message, ticket: hasTicket ? ticket : nil, timing: timing, reply)
      ]
    default: return nil
    }
  }

  /// One request per message, and one for the rest of the request, which is refused if a message
  /// fails.
  private func split(
    _ request: IngestRequest, _ messages: [LSPMessage], rest: LSPMessage
  ) -> [IngestRequest]? {
    guard case .editor(let key, _, let ticket, let timing, let reply) = request else { return nil }
    let outcome = PartsOutcome()
    let isAlone = rest.documents?.isEmpty != false
    return messages.map { message in
      // With the ticket in the log, the rest would count as resent if it is about this document.
      let hasTicket = if case .renamed = message { isAlone } else { false }
      return .editor(
        key, .part(outcome, message, hasTicket: hasTicket), ticket: ticket, { outcome.note($0) })
    } + [
      .editor(
        key, .part(outcome, rest, hasTicket: true), ticket: ticket, timing: timing, reply)
    ]
  }

  /// Opens the document that has the new name with the text of the renamed one, then closes that.
  /// In this order a message that fails can be sent again.
  private func parts(
    ofRenameOntoKnown rename: DidRenameFilesParams.Rename, _ key: EditorKey,
    _ reply: @escaping IngestRequest.Reply<Void>
  ) -> [IngestRequest] {
    let (old, new, session) = (rename.oldURI, rename.newURI, desk.session(of: key))
    desk.log(.renamedOntoKnown(old), of: session.client)
    guard let opened = session.documents[old] else { return [] }
    guard isKnown(old) else {
      desk.move(old, to: new, of: key)
      return []
    }
    var messages: [LSPMessage] = []
    if session.documents[new] == nil {
      do throws(ProtocolError) {
        let text = try liveDocument(old).state.text
        messages.append(.didOpen(DidOpenParams(uri: new, version: opened.version, text: text)))
      } catch {
        reply(.failure(error))
        return []
      }
    }
    messages.append(.didClose(TextDocumentParams(uri: old)))
    let outcome = PartsOutcome()
    return messages.map { message in
      .editor(key, .part(outcome, message, hasTicket: false), ticket: nil) { result in
        outcome.note(result)
        reply(result)
      }
    }
  }

  /// Renames an open document that the client renamed without a notification.
  private func unannouncedRename(
    of old: DocumentID, to new: DocumentID, by key: EditorKey
  ) -> [LSPMessage] {
    let session = desk.session(of: key)
    guard session.documents[old] != nil, session.documents[new] == nil else { return [] }
    desk.log(.renamedWithoutNotice(from: old), of: session.client)
    let rename = DidRenameFilesParams.Rename(oldURI: old, newURI: new)
    return [isKnown(new) ? .renamedOntoKnown(rename) : .renamed([rename])]
  }

  /// Opens the document under which the client has saved an open one without a notification, then
  /// closes that. In this order a message that fails can be sent again.
  private func unannouncedCopy(
    of old: DocumentID, to new: DocumentID, by key: EditorKey
  ) -> [LSPMessage] {
    let session = desk.session(of: key)
    guard let opened = session.documents[old], session.documents[new] == nil,
      let state = try? liveDocument(old).state
    else { return [] }
    desk.log(.savedUnderAnotherName(old), of: session.client)
    let params = DidOpenParams(uri: new, version: opened.version, text: state.text)
    return [
      .didOpen(params, copyOf: CopySource(old, at: state.sequence)),
      .didClose(TextDocumentParams(uri: old)),
    ]
  }
}
