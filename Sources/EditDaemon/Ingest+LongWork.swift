import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore
import TextState

/// What takes long with one document does not keep the others waiting: the document is read, or
/// the edit staged, on a thread of its own, and a large edit is written by a job. Meanwhile the
/// document's requests wait, and all that their sources send after them.
extension Ingest {
  /// Documents that are worked on at a time.
  private static let longWorkMax = 4

  /// True while a job or long work is under way.
  var isBusy: Bool { current != nil || !longWork.isEmpty }

  /// Stages the requests of a source, up to one that has to wait.
  func stage(_ turn: FairQueue<IngestRequest>.Turn, _ batch: inout StagedBatch) {
    if longWork.values.contains(where: { $0.source == turn.source }) {
      return hold(turn.source, with: turn.elements)
    }
    for (index, request) in turn.elements.enumerated() {
      if let failure {
        request.refuse(ProtocolError(failure))
      } else if let parts = closings(before: request) {
        let rest = FairQueue.Turn(
          source: turn.source, elements: parts + turn.elements[index...])
        return stage(rest, &batch)
      } else if mustWait(request) {
        return hold(turn.source, with: Array(turn.elements[index...]))
      } else {
        let count = longWork.count
        stage(request, &batch)
        guard longWork.count == count else {
          request.documents?.first.map { longWork[$0]?.source = turn.source }
          return hold(turn.source, with: Array(turn.elements[(index + 1)...]))
        }
      }
    }
  }

  /// The closings of large documents that come with the end of an editor's connection, to be read
  /// one by one.
  private func closings(before request: IngestRequest) -> [IngestRequest]? {
    guard case .editor(let key, .end, _, _) = request, let session = editors[key] else {
      return nil
    }
    let large = session.documents.keys.filter { id in
      (documents[id]?.state.length ?? 0) > options.longLength || needsReading(id)
    }
    guard !large.isEmpty else { return nil }
    return large.sorted { $0.precedes($1) }.map { id in
      .editor(key, .didClose(TextDocumentParams(uri: id)), ticket: nil, { _ in })
    }
  }

  /// True if a request has to wait for long work: on a document that it names, or needs and which
  /// is read now.
  private func mustWait(_ request: IngestRequest) -> Bool {
    if !longWork.isEmpty {
      if let key = request.editor, longWork.values.contains(where: { $0.editor == key }) {
        return true
      }
      guard let names = request.documents else { return true }
      if names.contains(where: { longWork[$0] != nil }) { return true }
    }
    let unread = request.documents?.first { needsReading($0) }
    guard unread != nil || isLong(request) else { return false }
    // Somebody waits until nothing is under way.
    guard whenIdle.isEmpty, longWork.count < Self.longWorkMax else { return true }
    guard let unread else { return false }
    return read(unread)
  }

  /// True if a request, whose documents are in memory, takes long.
  func isLong(_ request: IngestRequest) -> Bool {
    switch request {
    case .append(let append, _): return append.textLength > options.longLength
    case .editor(let key, let message, _, _): return isLong(message, of: key)
    case .mark, .look: return false
    }
  }

  /// Begins long work on a document that is in memory. What is staged of it is in the log.
  ///
  /// The staging runs on another thread.
  func begin(
    _ id: DocumentID, _ document: consuming LiveDocument, editor: EditorKey? = nil,
    _ stage: @escaping @Sendable (consuming LiveDocument) throws(ProtocolError) -> StagedDocument,
    whenDone: @escaping (Result<AppendReceipt?, ProtocolError>) -> Void
  ) {
    endRest()
    // The dictionary's copy would make the edit copy the text.
    documents[id] = nil
    longWork[id] = LongWork(editor: editor, whenDone: whenDone)
    let handover = DocumentHandover(document)
    run(id) { () throws(ProtocolError) in
      guard let document = handover.take() else { throw Self.stopping }
      return try stage(document)
    }
  }

  // MARK: Reading

  /// True if a document has to be read from files that are not small.
  private func needsReading(_ id: DocumentID) -> Bool {
    documents[id] == nil && longWork[id] == nil && !unreadable.contains(id)
      && writer.size(of: id) > options.longReadSize
  }

  /// Begins to read a document; false if that cannot be begun, and the request is to find out why.
  private func read(_ id: DocumentID) -> Bool {
    guard let history = try? writer.history(of: id) else { return false }
    longWork[id] = LongWork(isReading: true, whenDone: { _ in })
    run(id) { () throws(ProtocolError) in
      do throws(LogError) {
        return StagedDocument(document: try LiveDocument(id, history))
      } catch {
        throw ProtocolError(error).about(id)
      }
    }
    return true
  }

  // MARK: Staging and writing

  private func run(
    _ id: DocumentID,
    _ work: @escaping @Sendable () throws(ProtocolError) -> StagedDocument
  ) {
    JobThread.run { [self] in
      let result = Result { () throws(ProtocolError) in try work() }
      loop.execute { self.assumeIsolated { $0.finishStaging(of: id, result) } }
    }
  }

  /// Writes what is staged: as a batch of the journal, or by a job where it is large.
  private func finishStaging(
    of id: DocumentID, _ result: Result<StagedDocument, ProtocolError>
  ) {
    defer { goOn() }
    let result = failure.map { .failure(ProtocolError($0)) } ?? result
    switch result {
    case .failure(let error):
      // The request that needs it is to say why.
      if longWork[id]?.isReading == true { unreadable.insert(id) }
      endLongWork(on: id, .failure(error))
    case .success(let staged):
      if let key = longWork[id]?.editor, let session = staged.session {
        editors[key] = session
        for oddity in staged.oddities { logger.notice("\(session.client.label): \(oddity)") }
        note(staged.refused, of: session.client)
      }
      guard staged.length > options.longLength else { return commit(staged, of: id) }
      longWork[id]?.staged = staged
      jobs.add(.append, id)
      cancelLeisure()
      startJob()
    }
  }

  private func commit(_ staged: StagedDocument, of id: DocumentID) {
    documents[id] = staged.document
    guard !staged.entries.isEmpty else { return endLongWork(on: id, .success(nil)) }
    var batch = StagedBatch()
    batch.add(staged.entries, to: id)
    batch.whenDone { [self] result in
      assumeIsolated { $0.endLongWork(on: id, result.map(\.first)) }
    }
    flush(&batch)
  }

  /// Tells of the work's end.
  func endLongWork(on id: DocumentID, _ result: Result<AppendReceipt?, ProtocolError>) {
    guard let work = longWork.removeValue(forKey: id) else { return }
    if case .success = result, let staged = work.staged { documents[id] = staged.document }
    work.whenDone(result)
  }
}
