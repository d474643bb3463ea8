import Crypto
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import TextState

extension Ingest {
  /// Reads an editor's message and stages what it means.
  func stage(
    _ message: LSPMessage, of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout StagedBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    if case .initialize(let client, let open) = message {
      editors[key] = LSPSession(client: client, open: open, in: surroundings)
      return batch.whenDone { reply($0.map { _ in }) }
    }
    var session = editors[key] ?? LSPSession(client: LSPClient(InitializeParams()))
    let plan = session.read(message, in: surroundings)
    editors[key] = session
    if case .end = message { editors[key] = nil }
    for oddity in plan.oddities { logger.notice("\(session.client.label): \(oddity)") }
    // What the message itself stages carries its ticket, and is no resend.
    var touched: Set<DocumentID> = []
    for planned in plan.documents {
      let isNew = touched.insert(planned.document).inserted
      if isNew, try liveDocument(planned.document).place(of: ticket) != nil { continue }
      try stage(planned, ticket, session.client, &batch)
    }
    // Last: whoever is told of a failure is not told of success too.
    batch.whenDone { reply($0.map { _ in }) }
  }

  private func stage(
    _ planned: PlannedDocument, _ ticket: RequestTicket?, _ client: LSPClient,
    _ batch: inout StagedBatch
  ) throws(ProtocolError) {
    var source = EntrySource(now: clock.now(), ticket: ticket)
    var isRenamed = false
    if let old = planned.renamedFrom, isKnown(old) {
      try rename(old, to: planned.document, source, &batch)
      isRenamed = true
    }
    var document = try liveDocument(planned.document)
    documents[planned.document] = nil
    var entries: [HistoryEntry] = []
    for entry in planned.entries {
      switch entry {
      // Renaming has logged it.
      case .event(.renamed) where isRenamed: break
      case .event(let kind): entries.append(.event(document.stage(kind, source)))
      case .edit(let edit):
        source.origin = edit.origin
        do {
          let staged = try document.stage(
            edit.action, source, opensTransaction: !edit.continuesTransaction)
          entries.append(.edit(staged))
        } catch {
          logger.error("an edit read from \(client.label) does not fit: \(error)")
        }
      }
    }
    documents[planned.document] = document
    batch.add(entries, to: planned.document)
  }

  /// Gives a history a new name. What is staged for the old one has to be in the log first.
  private func rename(
    _ old: DocumentID, to new: DocumentID, _ source: EntrySource, _ batch: inout StagedBatch
  ) throws(ProtocolError) {
    flush(&batch)
    var document = try liveDocument(old)
    let event = document.stage(.renamed(from: old), source)
    endRest()
    do {
      _ = try writer.rename(old, to: new, event)
    } catch {
      note(error)
      throw ProtocolError(error)
    }
    documents[old] = nil
    documents[new] = nil
    noteRename(of: old, to: new)
  }

  /// A bridge's connection ended. One that has nothing open is gone; another comes back.
  func forgetIdleEditor(_ key: EditorKey) {
    guard editors[key]?.documents.isEmpty == true else { return }
    editors[key] = nil
    if case .bridge(let session) = key { turns.forget(session) }
  }

  /// The world as reading a message may ask about it.
  private var surroundings: LSPSurroundings {
    LSPSurroundings(
      state: { [self] id in
        assumeIsolated { ingest in
          ingest.isKnown(id) ? try? ingest.liveDocument(id).state : nil
        }
      },
      readDisk: { FileText.bytes(ofFileURI: $0.name) },
      digest: { text in text.digest })
  }
}

extension UTF16Text {
  /// SHA-256 of the text's UTF-8 form.
  var digest: ContentDigest {
    let hash = SHA256.hash(data: Array(String(self).utf8))
    guard let digest = ContentDigest(bytes: Array(hash)) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return digest
  }
}
