import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import NIOCore
import Replay

extension Ingest {
  /// Removes a document from the store and from memory. Requests about it wait meanwhile; edits of other
  /// documents are taken.
  ///
  /// - Parameter last: The last edit that it may have; any if nil.
  /// - Throws: `overloaded` if an editor has it open, because the next key would begin a new history;
  ///   `sequenceConflict` if it has edits after `last`; `unknownDocument`; or the writer's error.
  func forget(
    _ id: DocumentID, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    desk.hold([id])
    upkeep.forgettings.add(id)
    defer {
      upkeep.forgettings.remove(id)
      release([id])
    }
    var sealedCount = 0
    while true {
      sealedCount += try await sealNeighbours(of: id, upTo: last)
      // A job may use its files.
      let begun = try await whenIdle { ingest throws(ProtocolError) in
        try ingest.beginForgetting(id, upTo: last)
      }
      guard var (receipt, removal) = begun else { continue }
      receipt.removed = try await finish(&removal)
      receipt.sealedDocumentCount = sealedCount
      return receipt
    }
  }

  /// Removes the document with a number.
  ///
  /// - Throws: As `forget` of its name.
  func forget(
    number: UInt64, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    guard let id = writer.document(number: number) else {
      throw ProtocolError(
        .unknownDocument,
        """
        there is no document with the number \(number); `editlog documents --json` lists the \
        numbers
        """,
        details: ["number": JSON(number)])
    }
    return try await forget(id, upTo: last)
  }

  /// Seals the documents that share journals with one that is to be forgotten, and returns their number. New
  /// entries go to another journal.
  private func sealNeighbours(
    of id: DocumentID, upTo last: SequenceNumber?
  ) async throws(ProtocolError) -> Int {
    var (first, left): (Int?, Int) = (nil, .max)
    while true {
      try checkForgettable(id, upTo: last)
      let neighbours: [DocumentID]?
      do { neighbours = try writer.documentsToSeal(beforeForgetting: id) } catch {
        // A job of the document runs; `whenIdle` waits for it.
        if case .refused = error, upkeep.isBusy(with: id) { return first ?? 0 }
        throw forgettingError(error)
      }
      guard let neighbours else { throw .unknownDocument(id) }
      if neighbours.isEmpty { return first ?? 0 }
      // Some may have been renamed since.
      guard neighbours.count < left else {
        throw ProtocolError(
          .refused(
            path: id.name, what: "another document that shares a journal with it is not sealed"))
      }
      (first, left) = (first ?? neighbours.count, neighbours.count)
      try await seal(neighbours)
      while writer.isForgettingBlocked(of: id), upkeep.isSealing, phase == .running {
        let error = await withCheckedContinuation { upkeep.forgettings.wait($0) }
        if let error { throw ProtocolError(error) }
      }
    }
  }

  /// The time for which documents are sealed between two batches.
  private static let sealingTurn = TimeAmount.milliseconds(15)

  /// Seals small documents in turns, with batches of requests between them, and adds jobs for the others: to
  /// start a job takes longer than to seal a small document.
  private func seal(_ neighbours: [DocumentID]) async throws(ProtocolError) {
    var end = ticks + Self.sealingTurn
    for neighbour in neighbours {
      guard phase == .running, failure == nil else { throw Self.stopping }
      if writer.isQuickToSeal(neighbour) {
        do throws(LogError) { try sealNow(neighbour) } catch {
          handleJobError(error)
          throw ProtocolError(error)
        }
      } else {
        upkeep.addSeal(of: neighbour)
      }
      guard ticks >= end else { continue }
      startJob()
      await nextTurn()
      end = ticks + Self.sealingTurn
    }
    startJob()
  }

  private func checkForgettable(
    _ id: DocumentID, upTo last: SequenceNumber?
  ) throws(ProtocolError) {
    guard phase == .running else { throw Self.stopping }
    if let client = desk.editor(of: id) {
      throw ProtocolError(
        .overloaded,
        """
        \(client.label) has \(id.shown) open; close it there, then forget it; or \
        stop the daemon and name the store
        """)
    }
    if let last { try check(id, hasNoEditAfter: last) }
  }

  /// Forgets a document whose neighbours are sealed. Returns nil if another one has to be sealed first.
  private func beginForgetting(
    _ id: DocumentID, upTo last: SequenceNumber?
  ) throws(ProtocolError) -> (ForgetReceipt, DocumentRemoval)? {
    defer { seal(from: options.sealAfter) }
    try checkForgettable(id, upTo: last)
    guard writer.knows(id) else { throw .unknownDocument(id) }
    let begun: (ForgetReceipt, DocumentRemoval)?
    do { begun = try writer.beginForgetting(id) } catch { throw forgettingError(error) }
    guard let begun else { return nil }
    documents[id] = nil
    doubtful.remove(id)
    traces.forget(id)
    upkeep.forget(id)
    feed.tell(CommitFeed.Commit(forgotten: id))
    return begun
  }

  /// Removes the files of a forgotten document, one by one, with a batch of requests between two.
  private func finish(
    _ removal: inout DocumentRemoval
  ) async throws(ProtocolError) -> ForgetReceipt.Removed {
    defer { upkeep.forgettings.ended() }
    do throws(LogError) {
      while try writer.continueForgetting(&removal) { await nextTurn() }
    } catch { throw forgettingError(error) }
    tidyJournals()
    return removal.removed
  }

  private func forgettingError(_ error: LogError) -> ProtocolError {
    // A refusal names the document, and must not be logged.
    if case .refused = error { return ProtocolError(error) }
    handleWriterError(error)
    return ProtocolError(error)
  }

  /// Returns after the work that waits on the loop.
  func nextTurn() async {
    await withCheckedContinuation { caller in later { _ in caller.resume() } }
  }

  private func check(
    _ id: DocumentID, hasNoEditAfter last: SequenceNumber
  ) throws(ProtocolError) {
    let newest: SequenceNumber
    do throws(LogError) { newest = try writer.lastPlace(of: id)?.sequence ?? 0 } catch {
      throw ProtocolError(error).about(id)
    }
    guard newest <= last else {
      var error = ProtocolError.sequenceConflict(document: id, base: last, latest: newest)
      error.message =
        "\(id.shown) has edits after edit \(last), the last is \(newest); nothing was removed"
      throw error
    }
  }

  /// The changes that recovery made to the files when the store was opened.
  var recovered: ShownRecovery { ShownRecovery(writer.recovery) }

  /// Repairs the files that can be repaired. No edit is taken meanwhile.
  func repair() async throws(ProtocolError) -> [Repair] {
    try await mending { ingest throws(LogError) in
      try ingest.writer.repair(CheckpointComparison())
    }
  }

  /// Accepts all known losses. No edit is taken meanwhile.
  func acceptLosses() async throws(ProtocolError) -> [StoreLoss] {
    try await mending { ingest throws(LogError) in
      // A history may end earlier after this.
      ingest.documents = LiveDocuments(ingest.options)
      let accepted = try ingest.writer.acceptLosses()
      ingest.doubtful = []
      return accepted
    }
  }

  /// Removes the files in quarantine whose entries are all in the histories. No edit is taken meanwhile.
  func removeRecovered() async throws(ProtocolError) -> [QuarantinedFile] {
    try await mending { ingest throws(LogError) in try ingest.writer.removeRecovered() }
  }

  /// Changes files of the store while no job uses them.
  private func mending<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Ingest) throws(LogError) -> Value
  ) async throws(ProtocolError) -> Value {
    try await whenIdle { ingest throws(ProtocolError) in
      guard ingest.phase != .closed else { throw Self.stopping }
      defer { ingest.seal(from: ingest.options.sealAfter) }
      do throws(LogError) { return try body(ingest) } catch {
        ingest.handleWriterError(error)
        throw ProtocolError(error)
      }
    }
  }
}
