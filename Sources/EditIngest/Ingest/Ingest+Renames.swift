import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging

/// Where the rename of a document that is not in memory is logged.
private struct DocumentPlace {
  let sequence: SequenceNumber
  let time: Timestamp?
  /// True if the log has described the client's run in the document.
  let isIntroduced: Bool
}

/// Renames documents. If the new name is free, the document's text is not read.
extension Ingest {
  /// Returns the documents that a message renames. If the message was sent again, documents that have
  /// taken the names of those that it has renamed are left out.
  func renames(
    by params: DidRenameFilesParams, of key: EditorKey, _ ticket: RequestTicket?
  ) throws(ProtocolError) -> LSPRenames {
    var renames = desk.session(of: key).renames(by: params, in: environment)
    guard let ticket, !renames.ontoKnown.isEmpty else { return renames }
    // The last step of a chain is logged, so the document at its start is another one.
    var ends: Set<DocumentID> = []
    for move in renames.ontoKnown {
      do throws(LogError) {
        if try isLogged(ticket, in: move.newURI) { ends.insert(move.oldURI) }
      } catch { throw ProtocolError(error).about(move.newURI) }
    }
    renames.moves.removeAll { ends.contains($0.newURI) }
    renames.ontoKnown.removeAll { ends.contains($0.oldURI) }
    return renames
  }

  /// True if a document has an entry of this request, or of a later one of its session.
  private func isLogged(
    _ ticket: RequestTicket, in id: DocumentID
  ) throws(LogError) -> Bool {
    if let document = documents[id] { return document.place(of: ticket) != nil }
    return try writer.sessions(of: id)[ticket.session].map { $0.counter >= ticket.counter } ?? false
  }

  /// Checks that a message whose counter was passed in a document is the one that has renamed it, or another
  /// document of this name: the log has that under its ticket.
  ///
  /// - Throws: `sequenceConflict` if the log has another message under its ticket, or none.
  private func check(
    resent move: DidRenameFilesParams.Rename, _ ticket: RequestTicket
  ) throws(ProtocolError) {
    for name in [move.oldURI, move.newURI] {
      guard let history = try history(of: name) else { continue }
      let mark = try mark(of: ticket.session, in: history)
      guard let mark, mark.counter >= ticket.counter else { continue }
      let logged = try history.logged(ticket, notAfter: mark)
      if logged.isRename { return }
      if name == move.oldURI { try logged.checkIsAbsent() }
    }
    // The document may have been renamed again, and then has neither name.
    if isKnown(move.newURI) { throw .neverLogged(ticket) }
  }

  private func mark(
    of session: SessionID, in history: History
  ) throws(ProtocolError) -> SessionMark? {
    do { return try history.sessions()[session] } catch {
      throw ProtocolError(error).about(history.document)
    }
  }

  /// Stages the renames of documents to free names. Documents that the log has renamed for this
  /// message, and those that are not open and cannot be written to, keep their names.
  func rename(
    _ moves: [DidRenameFilesParams.Rename], of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout IngestBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    if let ticket, moves.contains(where: { documents[$0.oldURI]?.place(of: ticket) != nil }) {
      // The log is searched for the message, so staged entries must be written first.
      flush(&batch)
    }
    var session = desk.session(of: key)
    let source = EntrySource(now: clock.now(), ticket: ticket, of: session.client.identity)
    // Checks all documents before it stages anything, so that a request that fails changes nothing.
    let (moves, places) = try places(of: moves, in: session, source)
    batch.whenFailed { [session] desk in desk.restore(session, of: key) }
    _ = session.rename(moves)
    desk.put(session, of: key)
    let live = moves.map { move in
      defer { documents[move.oldURI] = nil }
      return documents[move.oldURI]
    }
    for (move, document) in zip(moves, live) {
      let events = rename(move, document, source, places[move.oldURI])
      if !events.isEmpty { batch.rename(move.oldURI, to: move.newURI, events) }
    }
    batch.cost += moves.count * WorkCost.rename
    batch.whenDone { reply($0.map { _ in }) }
  }

  /// Stages the rename of a document that no editor has open to a free name.
  func rename(
    _ move: DidRenameFilesParams.Rename, by client: ClientIdentity?,
    _ batch: inout IngestBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    let (old, new) = (move.oldURI, move.newURI)
    guard isKnown(old) else { throw .unknownDocument(old) }
    for name in [old, new] {
      guard let editor = desk.editor(of: name) else { continue }
      throw ProtocolError(
        .openInEditor,
        "\(name.shown) is open in \(editor.shownName), so \(old.shown) keeps its name; close it there",
        details: ["document": JSON(name.name), "client": JSON(editor.shownName)])
    }
    guard !isKnown(new) else { throw Self.nameOfAnother(new) }
    let source = EntrySource(now: clock.now(), ticket: nil, of: client)
    let place: DocumentPlace?
    do { place = try self.place(of: old, source) } catch { throw ProtocolError(error).about(old) }
    let document = documents[old]
    documents[old] = nil
    let events = rename(move, document, source, place)
    if !events.isEmpty { batch.rename(old, to: new, events) }
    batch.cost += WorkCost.rename
    batch.whenDone { reply($0.map { _ in }) }
  }

  private static func nameOfAnother(_ document: DocumentID) -> ProtocolError {
    ProtocolError(.invalidParams, "\(document.shown) is the name of another document")
  }

  /// Returns the moves to carry out, the last sequence number of each logged document, and the time of
  /// its last entry.
  ///
  /// - Throws: if an open document cannot be written to, or if a new name belongs to a document that
  ///   keeps its name.
  private func places(
    of all: [DidRenameFilesParams.Rename], in session: LSPSession, _ source: EntrySource
  ) throws(ProtocolError) -> ([DidRenameFilesParams.Rename], [DocumentID: DocumentPlace]) {
    var moves: [DidRenameFilesParams.Rename] = []
    var places: [DocumentID: DocumentPlace] = [:]
    var resent: [(DidRenameFilesParams.Rename, RequestTicket)] = []
    for move in all {
      do throws(LogError) {
        if let ticket = source.ticket, try isLogged(ticket, in: move.oldURI) {
          // The message was resent: it has already given this name to the document.
          resent.append((move, ticket))
          continue
        }
        places[move.oldURI] = try place(of: move.oldURI, source)
        moves.append(move)
      } catch {
        guard session.documents[move.oldURI] == nil else {
          throw ProtocolError(error).about(move.oldURI)
        }
        logger.error("a document that cannot be written to keeps its name")
      }
    }
    for (move, ticket) in resent { try check(resent: move, ticket) }
    let freed = Set(moves.map(\.oldURI))
    var taken: Set<DocumentID> = []
    for move in moves {
      let isFree = freed.contains(move.newURI) || !isKnown(move.newURI)
      guard taken.insert(move.newURI).inserted, isFree else {
        throw Self.nameOfAnother(move.newURI)
      }
    }
    return (moves, places)
  }

  /// Where the rename of a document is logged. Nil if the log has no such document.
  private func place(
    of id: DocumentID, _ source: EntrySource
  ) throws(LogError) -> DocumentPlace? {
    guard let last = try writer.lastPlace(of: id) else { return nil }
    var isIntroduced = true
    if documents[id] == nil, let identity = source.identity {
      isIntroduced = try writer.sessions(of: id)[identity.session] != nil
    }
    return DocumentPlace(sequence: last.sequence, time: last.time, isIntroduced: isIntroduced)
  }

  /// Renames a document in memory. Returns the events to log; none if the log has no such document.
  private func rename(
    _ move: DidRenameFilesParams.Rename, _ document: LiveDocument?, _ source: EntrySource,
    _ place: DocumentPlace?
  ) -> [HistoryEvent] {
    if let document {
      guard document.isStarted else { return [] }
      var moved = document.renamed(to: move.newURI)
      let introduction = moved.introduce(source)
      let event = moved.stage(.renamed(from: move.oldURI), source)
      documents[move.newURI] = moved
      return [introduction, event].compactMap { $0 }
    }
    guard let place else { return [] }
    func event(_ kind: HistoryEvent.Kind, counter: UInt64) -> HistoryEvent {
      source.event(
        kind, after: place.sequence, counter: counter,
        notBefore: place.time ?? Timestamp(nanoseconds: .min))
    }
    var events = [event(.renamed(from: move.oldURI), counter: source.ticket?.counter ?? 0)]
    if !place.isIntroduced, let identity = source.identity {
      events.insert(event(.session(identity.client), counter: 0), at: 0)
    }
    return events
  }
}
