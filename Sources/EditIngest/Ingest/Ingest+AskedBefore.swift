import EditLog
import EditModel
import EditProtocol
import EditorSync
import Logging
import NIOCore
import Synchronization
import TextState

// What an editor was asked for is kept in a file of the document before it is asked. If the daemon ends before
// the edits are logged, the next run finds the file, and compares the editor's text with the texts before and
// after the edits: so a request that is sent again is logged once.
extension Ingest {
  /// The edits of a request that its editor was asked for, and that are not logged.
  func askedBefore(_ request: AppendRequest, _ document: borrowing LiveDocument) -> AskedEdits? {
    guard let ticket = request.ticket else { return nil }
    return document.asked.first { $0.ticket == ticket }
  }

  // MARK: The file

  /// Keeps the edits of a request that the editor of the document is about to be asked for, durably.
  func keep(
    _ append: PendingAppend, _ document: borrowing LiveDocument, _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    let (id, request, base) = (append.request.document, append.request, document.state.sequence)
    // The folder belongs to a document that is in the log.
    if batch.contains(id) { flush(&batch) }
    guard writer.knows(id), documents[id]?.state.sequence == base else {
      throw .overloaded(retryAfterMillis: 100)
    }
    var (staged, entries) = (copy document, [HistoryEntry]())
    try staged.stage(request, append.parts, of: append.client, at: clock.now(), tracing) {
      entries.append($0)
    }
    var all = document.asked.filter { $0.ticket == nil || $0.ticket != request.ticket }
    all.append(AskedEdits(base: base, ticket: request.ticket, entries: entries))
    do { try writer.keepAsked(AskedEdits.content(of: all), of: id) } catch {
      handleWriterError(error)
      throw upkeep.space.refusal(error)
    }
    documents[id]?.asked = all
  }

  /// Writes what editors were asked for in a document, and is not logged, to its file.
  func keepAsked(of id: DocumentID) {
    guard let document = documents[id] else { return }
    documents[id]?.hasOldAsked = false
    do { try writer.keepAsked(AskedEdits.content(of: document.asked), of: id) } catch {
      guard writer.isUsable else { return handleWriterError(error) }
      // The edits are logged, or were refused: when the document is read again, the file is written again.
      logger.error("the file of the edits that an editor was asked for cannot be written: \(error)")
    }
  }

  /// Writes the file of a document when the batch is durable.
  func keepAskedWhenDone(of id: DocumentID, _ batch: inout IngestBatch) {
    batch.whenDone { [self] result in
      if case .success = result { assumeIsolated { $0.keepAsked(of: id) } }
    }
  }

  /// Forgets a request that an editor has not made.
  func drop(_ asked: AskedEdit, of id: DocumentID) {
    guard let document = try? liveDocument(id), !document.asked.isEmpty else { return }
    documents[id]?.asked.removeAll {
      $0.base == asked.base && $0.ticket == asked.append.request.ticket
    }
    keepAsked(of: id)
  }

  // MARK: The editor's text

  /// If an editor opens a document with edits in its text that it was asked for by an earlier run of the
  /// daemon, logs them as they were sent. All else that differs is the editor's own.
  func stage(
    askedBefore params: DidOpenParams, of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    let id = params.uri
    guard let document = documents[id], !document.asked.isEmpty, desk.asked(id) == nil,
      document.place(of: ticket) == nil, document.state.length <= options.longLength,
      !desk.isOpen(id, except: key)
    else { return }
    for asked in document.asked.reversed() where asked.base == document.state.sequence {
      guard let after = asked.applied(to: document.state) else { continue }
      switch AskedEdits.outcome(of: params.text, before: document.state, after: after) {
      case .made: return try stage(asked, of: id, &batch)
      case .notMade:
        documents[id]?.asked.removeAll { $0 == asked }
        keepAskedWhenDone(of: id, &batch)
      case .unknown: break
      }
    }
  }

  /// Logs a `didChange` that brings what its editor was asked for by an earlier run of the daemon. Returns
  /// false if it does not.
  func stage(
    askedBefore params: DidChangeParams, of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout IngestBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) -> Bool {
    let id = params.uri
    guard let document = documents[id], !document.asked.isEmpty, desk.asked(id) == nil,
      document.place(of: ticket) == nil, document.state.length <= options.longLength
    else { return false }
    var session = desk.session(of: key)
    let before = session.documents[id]
    for asked in document.asked.reversed() where asked.base == document.state.sequence {
      guard let after = asked.applied(to: document.state),
        let plan = session.didChange(params, bringing: after, in: environment)
      else { continue }
      batch.whenFailed { desk in desk.restore(id, to: before, of: key) }
      desk.put(session, of: key, plan.anomalies)
      try stage(asked, of: id, &batch)
      documents[id]?.remember(
        EntrySource(now: clock.now(), ticket: ticket, of: session.client.identity))
      for planned in plan.documents { try stage(planned, ticket, session.client, &batch) }
      if let document = documents[id] { desk.settle(id, at: document.state.sequence, of: key) }
      batch.whenDone { reply($0.map { _ in }) }
      return true
    }
    return false
  }

  private func stage(
    _ asked: AskedEdits, of id: DocumentID, _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    guard var document = documents[id] else { return }
    // The dictionary's copy would make each edit copy the text.
    documents[id] = nil
    do throws(EditError) {
      batch.add(try document.stage(asked: asked), to: id)
    } catch { throw .invalidEdit(at: 0, error) }
    documents[id] = document
    keepAskedWhenDone(of: id, &batch)
  }

  // MARK: The request, sent again

  /// Answers a request for whose edits an editor was asked by an earlier run of the daemon, or lets it wait
  /// for the editor. Returns false if it is to be carried out as a new one: the editor has not made them.
  func stage(
    askedBefore append: PendingAppend, _ document: borrowing LiveDocument,
    _ batch: inout IngestBatch
  ) throws(ProtocolError) -> Bool {
    let (id, request) = (append.request.document, append.request)
    guard desk.asked(id) == nil, let asked = askedBefore(request, document) else { return false }
    guard request.isLogged(as: asked.edits) else {
      throw ProtocolError(
        .sequenceConflict,
        """
        request \(asked.ticket?.counter ?? 0) of this session had other edits when an editor was asked for \
        them; send these with a counter that was not used
        """)
    }
    guard asked.base == document.state.sequence else {
      try compare(append, asked, &batch)
      return true
    }
    return wait(for: append, asked, document)
  }

  /// If the editor had the document open before it connected to this run of the daemon, what it has changed
  /// since may be on its way: the request waits for it, as for an editor that is asked.
  private func wait(
    for append: PendingAppend, _ asked: AskedEdits, _ document: borrowing LiveDocument
  ) -> Bool {
    let id = append.request.document
    guard document.waited != asked.ticket, let after = asked.applied(to: document.state),
      let key = desk.reopening(id)
    else { return false }
    let timer = self.after(.seconds(options.askingSeconds)) { $0.endWaiting(for: id) }
    desk.ask(append, of: key, nil, base: asked.base, after: after, timer)
    return true
  }

  /// Ends a wait: the editor has not reported the edits, and is asked again, if it has not changed the text.
  func endWaiting(for id: DocumentID) {
    guard desk.asked(id)?.isSent == false, let asked = desk.endAsking(id) else { return }
    documents[id]?.waited = asked.append.request.ticket
    stageAgain(asked.append)
  }

  private func stageAgain(_ append: PendingAppend) {
    var batch = IngestBatch()
    stage(.appended(append), &batch)
    flush(&batch)
  }

  /// Compares the newest text, which others have changed since an editor was asked, with those before and
  /// after the edits of the request.
  private func compare(
    _ append: PendingAppend, _ asked: AskedEdits, _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    let id = append.request.document
    flush(&batch)
    try turns.admit(append.request.ticket)
    let document = try liveDocument(id)
    let (history, latest) = (try history(of: id), document.state.sequence)
    let found = Mutex(AskedEdits.Outcome.unknown)
    begin(id, document) { (document) throws(ProtocolError) in
      if let before = try history?.state(at: asked.base), let after = asked.applied(to: before) {
        let outcome = AskedEdits.outcome(
          of: document.state.text, before: before, after: after)
        found.withLock { $0 = outcome }
      }
      return StagedDocument(document: document)
    } whenDone: { [self] result in
      if case .failure(let error) = result { return append.reply(.failure(error)) }
      switch found.withLock(\.self) {
      case .made:
        append.reply(
          .success(
            AppendResult(
              first: asked.base + 1, sequence: latest, durable: true, duplicate: true)))
      case .notMade:
        assumeIsolated { ingest in
          ingest.documents[id]?.asked.removeAll { $0 == asked }
          ingest.keepAsked(of: id)
          ingest.stageAgain(append)
        }
      case .unknown: append.reply(.failure(.unknownIfMade(asked, latest: latest)))
      }
    }
  }
}

extension ProtocolError {
  /// An editor was asked for the edits, and its text has changed where they were to be made.
  fileprivate static func unknownIfMade(_ asked: AskedEdits, latest: SequenceNumber) -> Self {
    ProtocolError(
      .sequenceConflict,
      """
      an editor was asked for the edits of request \(asked.ticket?.counter ?? 0) of this session at version \
      \(asked.base), and the same text was changed since: the log cannot tell whether it has made them; read \
      version \(latest), and send what is missing with a counter that was not used
      """)
  }
}
