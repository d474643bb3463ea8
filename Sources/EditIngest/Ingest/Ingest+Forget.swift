import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Replay

extension Ingest {
  /// Removes a document from the store and from memory.
  ///
  /// - Parameter last: The last edit that it may have; any if nil.
  /// - Throws: `overloaded` if an editor has it open, because the next key would begin a new history;
  ///   `sequenceConflict` if it has edits after `last`; `unknownDocument`; or the writer's error.
  func forget(
    _ id: DocumentID, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    // A job uses its document's files; and other documents may have to be sealed first.
    try await whenIdle { ingest throws(ProtocolError) in
      try ingest.forgetNow(id, upTo: last)
    }
  }

  /// Removes the document with a number.
  ///
  /// - Throws: As `forget` of its name.
  func forget(
    number: UInt64, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    try await whenIdle { ingest throws(ProtocolError) in
      guard let id = ingest.writer.document(number: number) else {
        throw ProtocolError(
          .unknownDocument,
          """
          there is no document with the number \(number); `editlog documents --json` lists the \
          numbers
          """,
          details: ["number": JSON(number)])
      }
      return try ingest.forgetNow(id, upTo: last)
    }
  }

  private func forgetNow(
    _ id: DocumentID, upTo last: SequenceNumber?
  ) throws(ProtocolError) -> ForgetReceipt {
    guard phase != .closed else { throw Self.stopping }
    defer { seal(from: options.sealAfter) }
    if let client = editor(of: id) {
      throw ProtocolError(
        .overloaded,
        """
        \(client.label) has \(id.shown) open; close it there, then forget it; or \
        stop the daemon and name the store
        """)
    }
    if let last { try check(id, hasNoEditAfter: last) }
    let receipt: ForgetReceipt?
    do { receipt = try writer.forget(id) } catch {
      // A refusal names the document, and must not be logged.
      if case .refused = error { throw ProtocolError(error) }
      handleWriterError(error)
      throw ProtocolError(error)
    }
    guard let receipt else { throw .unknownDocument(id) }
    documents[id] = nil
    doubtful.remove(id)
    traces.forget(id)
    scheduler.forget(id)
    feed.tell(CommitFeed.Commit(forgotten: id))
    return receipt
  }

  private func check(
    _ id: DocumentID, hasNoEditAfter last: SequenceNumber
  ) throws(ProtocolError) {
    let newest: SequenceNumber
    do throws(LogError) { newest = try writer.lastPlace(of: id)?.sequence ?? 0 } catch {
      throw ProtocolError(error).about(id)
    }
    guard newest <= last else {
      throw .sequenceConflict(document: id, base: last, latest: newest)
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
