import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging
import NIOCore
import TextState

/// Long work on one document does not delay the others: another thread reads the document or stages the
/// edit, and a job writes a large edit. Meanwhile the requests for this document wait, and so do the
/// later requests of their sources.
extension Ingest {
  /// Stages the requests of a source, up to the first that must wait.
  func stage(_ turn: FairQueue<IngestRequest>.Turn, _ batch: inout IngestBatch) {
    if upkeep.longWork.holds(turn.source) {
      return hold(turn.source, with: turn.elements)
    }
    // The next request is the last element.
    var waiting = Array(turn.elements.reversed())
    var count = 0
    while count < max(turn.elements.count, Self.partsMax) {
      let staged = stageRun(&waiting, &batch)
      count += staged
      if staged > 0, batch.cost > options.longLength { break }
      guard let request = waiting.popLast() else { break }
      if let failure {
        request.refuse(ProtocolError(failure))
      } else if mustWaitForNextBatch(request, batch) {
        waiting.append(request)
        return putBack(waiting.reversed(), from: turn.source, isNext: true)
      } else if let parts = parts(of: request) {
        waiting += parts.reversed()
        continue
      } else if mustWait(request, from: turn.source) {
        waiting.append(request)
        return hold(turn.source, with: waiting.reversed())
      } else if let parts = partsOfRename(request) {
        waiting += parts.reversed()
        continue
      } else if needsIdentification(request) {
        if upkeep.mayBegin(isReading: true) {
          identify(request, from: turn.source)
        } else {
          waiting.append(request)
        }
        return hold(turn.source, with: waiting.reversed())
      } else {
        let (workCount, cost) = (upkeep.longWork.count, cost(of: request))
        stage(request, &batch)
        guard upkeep.longWork.count == workCount else {
          request.documents?.first.map { upkeep.longWork.setSource(turn.source, of: $0) }
          return hold(turn.source, with: waiting.reversed())
        }
        // At least one request of each source is staged in a batch.
        batch.cost += cost
        if batch.cost > options.longLength { break }
      }
      count += 1
    }
    putBack(waiting.reversed(), from: turn.source)
  }

  /// True if a request can only be staged after this batch: it names a document that the batch
  /// renames, it renames a document that the batch creates, or it depends on the outcome of the
  /// batch.
  private func mustWaitForNextBatch(
    _ request: IngestRequest, _ batch: borrowing IngestBatch
  ) -> Bool {
    guard !batch.isEmpty, case .editor(_, let message, let ticket, _, _) = request else {
      if case .rename(let rename, _, _) = request, isNew(rename.oldURI, in: batch) { return true }
      return batch.renames(request.documents ?? [])
    }
    switch message {
    case .didRenameFiles: return batch.hasRenames
    // Without the ticket it is not refused if an earlier request of the session fails in this
    // batch.
    case .part(_, _, hasTicket: false) where ticket != nil: return true
    default: break
    }
    if batch.renames(message.documents ?? []) { return true }
    return message.moves.contains { isNew($0.oldURI, in: batch) }
  }

  /// True if the batch creates this document.
  private func isNew(_ id: DocumentID, in batch: borrowing IngestBatch) -> Bool {
    !writer.knows(id) && batch.contains(id)
  }

  /// True if a request must wait for long work on a document that it names. Begins to read the document
  /// if it is not in memory.
  private func mustWait(_ request: IngestRequest, from source: Int) -> Bool {
    if desk.isHeld(request, from: source) { return true }
    if upkeep.longWork.mustWait(request) { return true }
    // Resumes the sources that were held because of it.
    if upkeep.longWork.endHold(by: request) { later { $0.resumeWork() } }
    if let id = request.documentToRead, needsReading(id) {
      // Its files were opened before, and its history is long.
      let mayBegin = upkeep.mayBegin(isReading: true)
      if !mayBegin, upkeep.longWork.waitsForReading(id) { return true }
      if let history = readIfShort(id) {
        guard mayBegin else {
          upkeep.longWork.awaitReading(id)
          return true
        }
        return read(id, history)
      }
    }
    return isLong(request) && !upkeep.mayBegin(isReading: false)
  }

  /// True if a request takes long. Its documents must be in memory.
  func isLong(_ request: IngestRequest) -> Bool { cost(of: request) > options.longLength }

  /// The cost of staging a request, in units of `WorkCost`. Its documents must be in memory.
  private func cost(of request: IngestRequest) -> Int {
    switch request {
    case .appended(let append): cost(of: append.request)
    case .editor(let key, let message, let ticket, _, _):
      resentDocument(message, ticket) == nil ? cost(of: message, from: key) : WorkCost.search
    case .imported(let request, _): request.cost
    case .mark, .rename, .look: 0
    }
  }

  /// The cost of staging the edits of a request, or of searching the log for the request.
  private func cost(of request: AppendRequest) -> Int {
    guard let document = documents[request.document] else {
      return request.cost(runCount: 0, length: 0)
    }
    guard document.place(of: request.ticket) == nil else { return WorkCost.search }
    if askedBefore(request, document)?.base ?? .max < document.state.sequence {
      return WorkCost.search
    }
    let state = document.state
    return request.cost(runCount: state.attributeRunCount, length: state.length)
  }

  /// True if the edits of a request take long to stage.
  func isLong(_ request: AppendRequest) -> Bool { cost(of: request) > options.longLength }

  /// Begins long work on a document that is in memory and whose staged entries are in the log.
  ///
  /// `stage` runs on another thread.
  func begin(
    _ id: DocumentID, _ document: consuming LiveDocument, editor: EditorKey? = nil,
    _ stage: @escaping @Sendable (consuming LiveDocument) throws(ProtocolError) -> StagedDocument,
    whenDone: @escaping (Result<AppendReceipt?, ProtocolError>) -> Void
  ) {
    upkeep.endRest(in: phase, idle: idleTime)
    // With a second reference, the edit would copy the text.
    documents[id] = nil
    upkeep.longWork.begin(LongWork(editor: editor, whenDone: whenDone), on: id)
    let handover = DocumentHandover(document)
    run(id) { () throws(ProtocolError) in
      guard let document = handover.take() else { throw Self.stopping }
      return try stage(document)
    }
  }

  // MARK: Reading

  /// True if a document must be read from its files.
  func needsReading(_ id: DocumentID) -> Bool {
    documents[id] == nil && writer.knows(id) && !upkeep.longWork.isUnreadable(id)
  }

  /// Reads a document if its history is short; returns the history if it is long. A document that
  /// cannot be read is left to the request, which reports the error.
  private func readIfShort(_ id: DocumentID) -> History? {
    do throws(LogError) {
      guard let history = try writer.history(of: id) else { return nil }
      guard history.decodedSize <= options.longReadSize else { return history }
      let document = try LiveDocument(id, history)
      documents[id] = document
      if document.hasOldAsked { keepAsked(of: id) }
    } catch {
      upkeep.longWork.setUnreadable(id)
    }
    return nil
  }

  /// Begins to read a document on another thread.
  private func read(_ id: DocumentID, _ history: History) -> Bool {
    upkeep.longWork.begin(LongWork(isReading: true, whenDone: { _ in }), on: id)
    run(id) { () throws(ProtocolError) in
      do throws(LogError) {
        return StagedDocument(
          document: try LiveDocument(id, history), chain: try history.sealedChain())
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
      onLoopLater { $0.finishStaging(of: id, result) }
    }
  }

  /// Writes the staged entries: as a journal batch, or by a job if they are large.
  private func finishStaging(
    of id: DocumentID, _ result: Result<StagedDocument, ProtocolError>
  ) {
    guard phase != .closed else { return }
    defer { resumeWork() }
    let result = failure.map { .failure(ProtocolError($0)) } ?? result
    switch result {
    case .failure(let error):
      // The request that needs the document reports the error.
      if upkeep.longWork[id]?.isReading == true { upkeep.longWork.setUnreadable(id) }
      endLongWork(on: id, .failure(error))
    case .success(var staged):
      staged.measured = staged.document.takeMeasured()
      if let chain = staged.chain { writer.take(chain, of: id) }
      if let client = staged.session?.client {
        for anomaly in staged.anomalies { desk.log(anomaly, of: client) }
        desk.log(staged.refused, of: client)
      }
      guard staged.cost > options.longLength else { return commit(staged, of: id) }
      upkeep.append(staged, to: id)
      startJob()
    }
  }

  private func commit(_ staged: StagedDocument, of id: DocumentID) {
    documents[id] = staged.document
    upkeep.longWork.stage(staged, on: id)
    guard !staged.entries.isEmpty else { return endLongWork(on: id, .success(nil)) }
    var batch = IngestBatch()
    batch.add(staged.entries, to: id, measured: staged.measured, timing: staged.timing)
    batch.whenDone { [self] result in
      assumeIsolated { $0.endLongWork(on: id, result.map { $0[0] }) }
    }
    flush(&batch)
  }

  /// Ends long work with an error, which names the document.
  func endLongWork(on id: DocumentID, _ error: LogError) {
    endLongWork(on: id, .failure(upkeep.space.refusal(error).about(id)))
  }

  /// Ends long work: takes over its document, and answers the request.
  func endLongWork(on id: DocumentID, _ result: Result<AppendReceipt?, ProtocolError>) {
    guard let work = upkeep.longWork.end(on: id) else { return }
    if case .success = result, let staged = work.staged {
      documents[id] = staged.document
      if staged.document.hasOldAsked { keepAsked(of: id) }
      if let key = work.editor, let session = staged.session { desk.put(session, of: key) }
    }
    work.whenDone(result)
  }
}
