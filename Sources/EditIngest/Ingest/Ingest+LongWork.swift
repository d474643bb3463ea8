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
  /// Begins long work on a document that is in memory and whose staged entries are in the log.
  ///
  /// `stage` runs on another thread.
  func begin(
    _ id: DocumentID, _ document: consuming LiveDocument, editor: EditorKey? = nil,
    _ stage: @escaping @Sendable (consuming LiveDocument) throws(ProtocolError) -> StagedDocument,
    whenDone: @escaping (Result<AppendReceipt?, ProtocolError>) -> Void
  ) {
    upkeep.endRest(in: phase, at: executor.loop.now)
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
  func readIfShort(_ id: DocumentID) -> History? {
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
  func read(_ id: DocumentID, _ history: History) -> Bool {
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
    intake.endWork(on: id)
    if case .success = result, let staged = work.staged {
      documents[id] = staged.document
      if staged.document.hasOldAsked { keepAsked(of: id) }
      if let key = work.editor, let session = staged.session { desk.put(session, of: key) }
    }
    work.whenDone(result)
  }
}
