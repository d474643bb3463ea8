import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging

private typealias DocumentPlace = (sequence: SequenceNumber, time: Timestamp?)

/// Documents that get other names. All that one message renames is in one batch: their texts do not
/// matter, and none is read for it.
extension Ingest {
  /// The documents that a request names; nil if it may affect others too.
  func documents(of request: IngestRequest) -> [DocumentID]? {
    guard case .editor(let key, .didRenameFiles(let params), _, _) = request else {
      return request.documents
    }
    return session(of: key).renames(by: params, in: surroundings).names
  }

  /// The documents that a message renames. Those that are not open and cannot be written to keep
  /// their names.
  func renames(by params: DidRenameFilesParams, of key: EditorKey) -> LSPRenames {
    let session = session(of: key)
    var renames = session.renames(by: params, in: surroundings)
    renames.moves.removeAll { move in
      guard session.documents[move.oldURI] == nil else { return false }
      do throws(LogError) { _ = try writer.lastPlace(of: move.oldURI) } catch {
        logger.error("a document that cannot be written to keeps its name")
        return true
      }
      return false
    }
    return renames
  }

  /// True if the log has the request already, or a later one of its session, for one of the files: a
  /// message is logged as a whole.
  func isLogged(_ params: DidRenameFilesParams, _ ticket: RequestTicket?) -> Bool {
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
    batch.keep(session, of: key)
    editors[key] = nil
    _ = session.rename(moves)
    editors[key] = session
    for move in moves {
      let place = batch.nameBeforeRenames(of: move.oldURI).flatMap { places[$0] }
      guard let event = rename(move, source, place) else { continue }
      batch.rename(move.oldURI, to: move.newURI, event)
    }
    batch.cost += moves.count * WorkCost.rename
    batch.whenDone { reply($0.map { _ in }) }
  }

  /// The last edits of the documents in the log, and the times of their last entries.
  ///
  /// - Throws: if one cannot be written to, or if a name is not free when its turn comes.
  private func places(
    of moves: [DidRenameFilesParams.Rename]
  ) throws(ProtocolError) -> [DocumentID: DocumentPlace] {
    var (taken, freed): (Set<DocumentID>, Set<DocumentID>) = ([], [])
    var places: [DocumentID: DocumentPlace] = [:]
    for move in moves {
      do throws(LogError) { places[move.oldURI] = try writer.lastPlace(of: move.oldURI) } catch {
        throw ProtocolError(error).about(move.oldURI)
      }
      taken.remove(move.oldURI)
      freed.insert(move.oldURI)
      let isFree =
        !taken.contains(move.newURI) && (freed.contains(move.newURI) || !isKnown(move.newURI))
      guard isFree else {
        throw ProtocolError(.invalidParams, "\(move.newURI.shown) is the name of another document")
      }
      taken.insert(move.newURI)
    }
    return places
  }

  /// Moves a document in memory to another name. Returns the event to log; nil if the log has no such
  /// document.
  private func rename(
    _ move: DidRenameFilesParams.Rename, _ source: EntrySource, _ place: DocumentPlace?
  ) -> HistoryEvent? {
    let (old, new) = (move.oldURI, move.newURI)
    if let document = documents[old] {
      documents[old] = nil
      guard document.isStarted else { return nil }
      var moved = document.renamed(to: new)
      let event = moved.stage(.renamed(from: old), source)
      documents[new] = moved
      return event
    }
    return place.map { place in
      source.event(
        .renamed(from: old), after: place.sequence,
        notBefore: place.time ?? Timestamp(nanoseconds: .min))
    }
  }
}
