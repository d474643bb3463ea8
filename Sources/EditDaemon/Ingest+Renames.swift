import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging

private typealias DocumentPlace = (sequence: SequenceNumber, time: Timestamp?)

/// Documents that get other names. Those that one message renames to free names are renamed in one
/// batch, without reading their texts.
extension Ingest {
  /// The documents that a request names; nil if it may affect others too.
  func documents(of request: IngestRequest) -> [DocumentID]? {
    guard case .editor(let key, .didRenameFiles(let params), _, _) = request else {
      return request.documents
    }
    return session(of: key).renames(by: params, in: surroundings).names
  }

  /// The documents that a message renames. Those that are not open and cannot be written to keep
  /// their names, and so do those that the log has renamed for this message already.
  func renames(
    by params: DidRenameFilesParams, of key: EditorKey, _ ticket: RequestTicket?
  ) -> LSPRenames {
    let session = session(of: key)
    var renames = session.renames(by: params, in: surroundings)
    if isLogged(params, ticket) { renames.moves = [] }
    renames.moves.removeAll { move in
      if let ticket, mark(of: ticket, in: move.oldURI)?.isAfter(ticket) == true { return true }
      guard session.documents[move.oldURI] == nil else { return false }
      do throws(LogError) { _ = try writer.lastPlace(of: move.oldURI) } catch {
        logger.error("a document that cannot be written to keeps its name")
        return true
      }
      return false
    }
    return renames
  }

  /// True if the log has the renames to free names of this request, or a later request of its session,
  /// for one of the files.
  private func isLogged(_ params: DidRenameFilesParams, _ ticket: RequestTicket?) -> Bool {
    guard let ticket else { return false }
    return params.files.contains { file in
      mark(of: ticket, in: file.oldURI).map { $0.isAfter(ticket) } ?? false
        || mark(of: ticket, in: file.newURI).map { $0.counter >= ticket.counter } ?? false
    }
  }

  /// The last request of a ticket's session in a document.
  private func mark(of ticket: RequestTicket, in id: DocumentID) -> SessionMark? {
    if let document = documents[id] { return document.place(of: ticket) }
    return (try? writer.sessions(of: id))?[ticket.session]
  }

  /// Stages the renames of documents to names that are free.
  func rename(
    _ moves: [DidRenameFilesParams.Rename], of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout StagedBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    let source = EntrySource(now: clock.now(), ticket: ticket)
    // All are looked at before anything is staged: a request that fails changes nothing.
    let places = try places(of: moves)
    var session = session(of: key)
    batch.keep { [session] sessions in if sessions[key] != nil { sessions[key] = session } }
    editors[key] = nil
    _ = session.rename(moves)
    editors[key] = session
    let live = moves.map { move in
      defer { documents[move.oldURI] = nil }
      return documents[move.oldURI]
    }
    for (move, document) in zip(moves, live) {
      guard let event = rename(move, document, source, places[move.oldURI]) else { continue }
      batch.rename(move.oldURI, to: move.newURI, event)
    }
    batch.cost += moves.count * WorkCost.rename
    batch.whenDone { reply($0.map { _ in }) }
  }

  /// The last edits of the documents in the log, and the times of their last entries.
  ///
  /// - Throws: if one cannot be written to, or if a name is not free once all have theirs.
  private func places(
    of moves: [DidRenameFilesParams.Rename]
  ) throws(ProtocolError) -> [DocumentID: DocumentPlace] {
    let freed = Set(moves.map(\.oldURI))
    var taken: Set<DocumentID> = []
    var places: [DocumentID: DocumentPlace] = [:]
    for move in moves {
      do throws(LogError) { places[move.oldURI] = try writer.lastPlace(of: move.oldURI) } catch {
        throw ProtocolError(error).about(move.oldURI)
      }
      let isFree = freed.contains(move.newURI) || !isKnown(move.newURI)
      guard taken.insert(move.newURI).inserted, isFree else {
        throw ProtocolError(.invalidParams, "\(move.newURI.shown) is the name of another document")
      }
    }
    return places
  }

  /// Moves a document in memory to another name. Returns the event to log; nil if the log has no such
  /// document.
  private func rename(
    _ move: DidRenameFilesParams.Rename, _ document: LiveDocument?, _ source: EntrySource,
    _ place: DocumentPlace?
  ) -> HistoryEvent? {
    if let document {
      guard document.isStarted else { return nil }
      var moved = document.renamed(to: move.newURI)
      let event = moved.stage(.renamed(from: move.oldURI), source)
      documents[move.newURI] = moved
      return event
    }
    return place.map { place in
      source.event(
        .renamed(from: move.oldURI), after: place.sequence,
        notBefore: place.time ?? Timestamp(nanoseconds: .min))
    }
  }
}
