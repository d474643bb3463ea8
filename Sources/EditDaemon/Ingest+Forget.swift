import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Replay

extension Ingest {
  /// Removes a document from the store and from memory.
  ///
  /// - Parameter last: The last edit that it may have; any if nil.
  /// - Throws: `overloaded` if an editor has it open: what is typed there would begin a new history;
  ///   `sequenceConflict` if it has edits after `last`; `unknownDocument`; why it cannot be done.
  func forget(
    _ id: DocumentID, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    // A job holds its document's files, and other documents may have to be sealed.
    while isBusy { await nextIdle() }
    guard phase != .closed else { throw Self.stopping }
    defer { seal(from: options.sealAfter) }
    if let editor = editors.values.first(where: { $0.documents[id] != nil }) {
      throw ProtocolError(
        .overloaded,
        """
        \(editor.client.label) has \(id.shown) open; close it there, then forget it; or \
        stop the daemon and name the store
        """)
    }
    if let last { try check(id, hasNoEditAfter: last) }
    let receipt: ForgetReceipt?
    do { receipt = try writer.forget(id) } catch {
      // A refusal names the document, and is nobody's but the asker's.
      if case .refused = error { throw ProtocolError(error) }
      note(error)
      throw ProtocolError(error)
    }
    guard let receipt else { throw .unknownDocument(id) }
    documents[id] = nil
    doubtful.remove(id)
    scheduler.forget(id)
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

  /// Removes the document of a number.
  ///
  /// - Throws: as `forget` of its name.
  func forget(
    number: UInt64, upTo last: SequenceNumber? = nil
  ) async throws(ProtocolError) -> ForgetReceipt {
    // It may be renamed until then.
    while isBusy { await nextIdle() }
    guard let id = writer.document(number: number) else {
      throw ProtocolError(
        .unknownDocument,
        "there is no document of number \(number); `editlog documents --json` has the numbers",
        details: ["number": JSON(number)])
    }
    return try await forget(id, upTo: last)
  }

  /// What opening the store did to its files.
  var recovered: ShownRecovery { ShownRecovery(writer.recovery) }

  /// Mends what can be mended. No edit is taken meanwhile.
  func repair() async throws(ProtocolError) -> [Repair] {
    while isBusy { await nextIdle() }
    guard phase != .closed else { throw Self.stopping }
    defer { seal(from: options.sealAfter) }
    do { return try writer.repair(CheckpointComparison()) } catch {
      note(error)
      throw ProtocolError(error)
    }
  }
}

extension Ingest {
  /// Accepts what is known to be lost. No edit is taken meanwhile.
  func acceptLosses() async throws(ProtocolError) -> [StoreLoss] {
    while isBusy { await nextIdle() }
    guard phase != .closed else { throw Self.stopping }
    defer { seal(from: options.sealAfter) }
    // Histories may end earlier from now on.
    documents = LiveDocuments()
    do {
      let accepted = try writer.acceptLosses()
      doubtful = []
      return accepted
    } catch {
      note(error)
      throw ProtocolError(error)
    }
  }
}

extension Ingest {
  /// Removes the files in quarantine whose content is proven to be in the histories. No edit is
  /// taken meanwhile.
  func removeRecovered() async throws(ProtocolError) -> [QuarantinedFile] {
    while isBusy { await nextIdle() }
    guard phase != .closed else { throw Self.stopping }
    do { return try writer.removeRecovered() } catch {
      note(error)
      throw ProtocolError(error)
    }
  }
}
