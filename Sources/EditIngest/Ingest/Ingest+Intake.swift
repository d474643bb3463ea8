import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import NIOCore
import TextState

/// The loop that every request passes: takes turns of sources, stages what need not wait, and commits the
/// batch.
extension Ingest {
  /// Takes the waiting requests, batch by batch.
  func drain() {
    guard phase != .closed else { return }
    defer { assert(invariantViolation() == nil, invariantViolation() ?? "") }
    // If the requests wait for a job, `resumeWork` calls this again when the job ends.
    while !upkeep.isBehind, !isLate, let (turns, arrival) = intake.take() {
      var batch = IngestBatch(arrival: arrival)
      for turn in turns where !isPaused(turn) { stage(turn, &batch) }
      commit(batch)
      intake.noteBatch(of: turns.reduce(0) { $0 + $1.elements.count })
      for document in documents.trim() { writer.rest(document) }
      // Jobs that have ended are finished before the next batch, however many requests wait.
      if phase == .running, intake.hasRequests {
        return later { $0.drain() }
      }
    }
    guard !upkeep.isBehind, phase == .running else { return }
    upkeep.awaitRest(restTimes) { after($0) { $0.restIfIdle() } }
  }

  /// True if the next request of a source must wait, because its document has a long backlog to seal. The
  /// source is held.
  private func isPaused(_ turn: FairQueue<IngestRequest>.Turn) -> Bool {
    phase == .running
      && intake.isPaused(turn) { end in
        at(end) { ingest in
          ingest.intake.endPause()
          ingest.drain()
        }
      }
  }

  /// True after the deadline of `close`.
  private var isLate: Bool {
    if case .closing(let deadline) = phase { NIODeadline.now() >= deadline } else { false }
  }

  /// Stages the requests of a source, up to the first that must wait.
  private func stage(_ turn: FairQueue<IngestRequest>.Turn, _ batch: inout IngestBatch) {
    if intake.isWorking(turn.source) {
      return intake.hold(turn.source, with: turn.elements)
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
        return intake.putBack(waiting.reversed(), from: turn.source, isNext: true)
      } else if let parts = parts(of: request) {
        waiting += parts.reversed()
        continue
      } else if mustWait(request, from: turn.source) {
        waiting.append(request)
        return intake.hold(turn.source, with: waiting.reversed())
      } else if let parts = partsOfRename(request) {
        waiting += parts.reversed()
        continue
      } else if needsIdentification(request) {
        if upkeep.mayBegin(isReading: true) {
          identify(request, from: turn.source)
        } else {
          waiting.append(request)
        }
        return intake.hold(turn.source, with: waiting.reversed())
      } else {
        let (workCount, cost) = (upkeep.longWork.count, cost(of: request))
        stage(request, &batch)
        guard upkeep.longWork.count == workCount else {
          if let id = request.documents?.first, upkeep.longWork[id] != nil {
            intake.beginWork(of: turn.source, on: id)
          }
          return intake.hold(turn.source, with: waiting.reversed())
        }
        // At least one request of each source is staged in a batch.
        batch.cost += cost
        if batch.cost > options.longLength { break }
      }
      count += 1
    }
    intake.putBack(waiting.reversed(), from: turn.source)
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
}
