import EditLog
import EditModel
package import EditProtocol
import EditQueries
package import EditorSync
import Logging
import NIOCore
import TextState

extension Ingest {
  /// Reads an editor's message and stages its entries.
  func stage(
    _ message: LSPMessage, of key: EditorKey, _ ticket: RequestTicket?, _ timing: RequestTiming?,
    _ batch: inout IngestBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    if case .initialize(let client, _) = message {
      desk.put(LSPSession(client: client), of: key)
      return batch.whenDone { reply($0.map { _ in }) }
    }
    if case .renamed(let moves) = message {
      return try rename(moves, of: key, ticket, &batch, reply)
    }
    switch message {
    case .didChange(let params, _):
      if try stage(params, of: key, ticket, &batch, reply) { return }
    case .didOpen(let params, let source):
      try stage(askedBefore: params, of: key, ticket, &batch)
      if source == nil, !isKnown(params.uri) {
        batch.whenDone {
          if case .success = $0 { self.onLoopLater { $0.lookForMoved(params, of: key) } }
        }
      }
    case .didClose(let params) where desk.asked(params.uri)?.editor == key:
      endAsked(params.uri, because: "it closed the document")
    default: break
    }
    if let id = resentDocument(message, ticket), let ticket {
      return try check(resent: message, about: id, of: key, ticket, timing, &batch, reply)
    }
    if let id = message.documents?.first, isLong(message, of: key) {
      return try begin(message, about: id, of: key, ticket, timing, reply)
    }
    var session = desk.take(key)
    let kept = ticket == nil ? nil : message.documents?.first.map { ($0, session.documents[$0]) }
    if let kept { batch.whenFailed { desk in desk.restore(kept.0, to: kept.1, of: key) } }
    let plan = session.read(message, in: environment)
    desk.put(session, of: key, plan.anomalies)
    switch message {
    case .end, .ended: desk.end(key)
    default: break
    }
    // The entries that this message stages have its ticket too, and do not make it a resend.
    var touched: Set<DocumentID> = []
    do throws(ProtocolError) {
      for planned in plan.documents {
        let isNew = touched.insert(planned.document).inserted
        if isNew, try liveDocument(planned.document).place(of: ticket) != nil { continue }
        try stage(planned, ticket, session.client, &batch, timing)
      }
      for id in touched.union(message.documents ?? []) {
        if let document = documents[id] { desk.settle(id, at: document.state.sequence, of: key) }
      }
    } catch {
      if let kept { desk.restore(kept.0, to: kept.1, of: key) }
      throw error
    }
    // Last, so that a request that fails is not answered with success as well.
    batch.whenDone { reply($0.map { _ in }) }
  }

  /// Notes that a bridge has connected.
  package func connected(_ key: EditorKey) { desk.connect(key) }

  /// True if a message takes long to read. The document it names is in memory.
  private func isLong(_ message: LSPMessage, of key: EditorKey) -> Bool {
    cost(of: message, from: key) > options.longLength
  }

  /// The cost of reading a message, in units of `WorkCost`. The document it names is in memory.
  func cost(of message: LSPMessage, from key: EditorKey) -> Int {
    guard let names = message.documents, names.count == 1 else { return 0 }
    if leftVersion(message, by: key) != nil { return WorkCost.search }
    let length = documents[names[0]]?.state.length ?? 0
    let size = message.isComparedWithFile ? FileText.size(ofFileURI: names[0].name) : 0
    return desk.session(of: key).cost(of: message, documentLength: length, fileSize: size)
  }

  /// The version that an editor has of the document of its message, if other sessions have changed the
  /// document since its last message. After `reopened`, it is the version that the editor had before its
  /// bridge connected again. The document is in memory.
  private func leftVersion(_ message: LSPMessage, by key: EditorKey) -> SequenceNumber? {
    switch message {
    case .didChange, .didSave, .didClose:
      guard let id = message.documents?.first, let version = desk[key]?.documents[id]?.sequence,
        let document = documents[id], version < document.state.sequence
      else { return nil }
      return version
    default: break
    }
    guard case .reopened(let open) = message, let known = open.first, let version = known.sequence,
      case .bridge(let session) = key, let document = documents[known.document]
    else { return nil }
    // The answers to the last messages may be lost.
    let last = max(version, document.lastVersion(of: session) ?? 0)
    return last < document.state.sequence ? last : nil
  }

  /// The document of a message whose counter is not above the last one of its session there. The document is
  /// in memory.
  func resentDocument(_ message: LSPMessage, _ ticket: RequestTicket?) -> DocumentID? {
    switch message {
    case .didOpen, .didChange, .didSave, .didClose: break
    default: return nil
    }
    guard let id = message.documents?.first, documents[id]?.place(of: ticket) != nil else {
      return nil
    }
    return id
  }

  /// Answers a message with a counter that its session has passed: on another thread, the log is searched
  /// for it. If other sessions have changed the document since, the editor's buffer has the text of the last
  /// logged message of the session.
  private func check(
    resent message: LSPMessage, about id: DocumentID, of key: EditorKey, _ ticket: RequestTicket,
    _ timing: RequestTiming?, _ batch: inout IngestBatch,
    _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    // The log is searched, so staged entries must be written first.
    flush(&batch)
    try turns.admit(ticket)
    let document = try liveDocument(id)
    guard let place = document.place(of: ticket), let history = try history(of: id) else {
      // The flush failed, so the staged entries are not in the log.
      return try stage(message, of: key, ticket, timing, &batch, reply)
    }
    let session = desk.session(of: key)
    let check = { @Sendable (before: ResentPlace?) throws(ProtocolError) in
      try history.logged(ticket, notAfter: place, after: before).check(message, of: session)
    }
    var isStale = place.sequence < document.state.sequence
    if case .didClose = message { isStale = false }
    if isStale {
      let stale = ReopenedDocument(id, at: place.sequence)
      return try begin(.reopened([stale]), about: id, of: key, nil, timing, after: check, reply)
    }
    try begin(message, about: id, of: key, ticket, timing, after: check, reply)
  }

  /// The version of the document of an editor's message, which is in the log, that is the editor's text.
  package nonisolated func version(
    after message: LSPMessage, of key: EditorKey
  ) -> ReopenedDocument? {
    guard let id = message.documents?.first, executor.isCurrent else { return nil }
    return assumeIsolated { ingest in
      ingest.documents[id].map {
        ReopenedDocument(id, at: ingest.desk[key]?.documents[id]?.sequence ?? $0.state.sequence)
      }
    }
  }

  /// True if the document of an editor's message is not open and not identified yet.
  func needsIdentification(_ request: IngestRequest) -> Bool {
    guard case .editor(let key, let message, _, _, _) = request else { return false }
    return desk.session(of: key).needsIdentification(message)
  }

  /// Identifies on another thread the document of a message that is not open. The message and the
  /// later requests of its source wait.
  func identify(_ request: IngestRequest, from source: Int) {
    guard case .editor(let key, let message, let ticket, let timing, let reply) = request,
      let id = message.documents?.first
    else { return }
    upkeep.longWork.begin(
      LongWork(editor: key, isReading: true, whenDone: { _ in }), on: id)
    intake.beginWork(of: source, on: id)
    JobThread.run { [self, session = desk.session(of: key)] in
      let environment = LSPEnvironment(
        state: { id in self.onLoop { $0.newestVersion(of: id) }?.state },
        isKnown: { id in self.onLoop { $0.isKnown(id) } ?? true }, fileSizeMax: FileText.sizeMax)
      let found = session.identified(message, in: environment)
      onLoopLater { ingest in
        guard ingest.phase != .closed else { return reply(.failure(Self.stopping)) }
        _ = ingest.upkeep.longWork.end(on: id)
        ingest.intake.endWork(on: id)
        ingest.intake.putBack(
          [.editor(key, found, ticket: ticket, timing: timing, reply)], from: source)
        ingest.resumeWork()
      }
    }
  }

  /// Runs `body` on the loop and waits for its result. Returns nil if the loop has ended.
  private nonisolated func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Ingest) -> Value?
  ) -> Value? {
    // If no thread could be created, this runs on the loop itself.
    if executor.isCurrent { return assumeIsolated(body) }
    return try? executor.loop.submit {
      self.executor.run { self.assumeIsolated(body) }
    }.wait()
  }

  /// The newest version of a document: from memory, or the history to read it from. Returns nil if
  /// the document is not in the log or cannot be read.
  private func newestVersion(of id: DocumentID) -> NewestVersion? {
    if let document = documents[id] { return document.isStarted ? .state(document.state) : nil }
    return (try? writer.history(of: id)).map { .history($0) }
  }

  /// The newest version of a document, for another thread than the loop. Nil if it cannot be read.
  nonisolated func newestState(toCompare document: DocumentID) -> TextState? {
    onLoop { $0.newestVersion(of: document) }?.state
  }

  /// Reads a message about one document on another thread, after `check`.
  private func begin(
    _ message: LSPMessage, about id: DocumentID, of key: EditorKey, _ ticket: RequestTicket?,
    _ timing: RequestTiming?,
    after check: @escaping @Sendable (ResentPlace?) throws(ProtocolError) -> ResentPlace? = {
      _ in nil
    },
    _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    let document = try liveDocument(id)
    let isResend = document.place(of: ticket) != nil
    let session = desk.session(of: key)
    let source = EntrySource(
      now: clock.now(), ticket: ticket, of: session.client.identity, tracing)
    let (left, history) = (leftVersion(message, by: key), try history(of: id))
    let latest = document.state.sequence
    let isOpenElsewhere = desk.isOpen(id, at: latest, except: key)
    begin(id, document, editor: key) { (document) throws(ProtocolError) in
      var (session, document) = (session, document)
      document.resent = try check(document.resent)
      let state = document.isStarted ? document.state : nil
      var environment = LSPEnvironment { $0 == id ? state : nil }
      if let left, let history {
        let state = try history.state(at: left)
        environment.left = { $0 == id ? state : nil }
        environment.isUsedElsewhere = isOpenElsewhere ? try history.isTyped(after: left) : false
      }
      let plan = session.read(message, in: environment)
      var staged = StagedDocument(
        document: document, timing: timing, session: session, anomalies: plan.anomalies)
      for planned in plan.documents where planned.document == id && !isResend {
        staged.entries += staged.document.stage(
          planned.entries, source, refused: &staged.refused)
      }
      staged.session?.settle(id, at: staged.document.state.sequence)
      return staged
    } whenDone: {
      reply($0.map { _ in })
    }
  }

  func stage(
    _ planned: PlannedDocument, _ ticket: RequestTicket?, _ client: LSPClient,
    _ batch: inout IngestBatch, _ timing: RequestTiming? = nil
  ) throws(ProtocolError) {
    let source = EntrySource(now: clock.now(), ticket: ticket, of: client.identity, tracing)
    var document = try liveDocument(planned.document)
    documents[planned.document] = nil
    var refused: [EditError] = []
    let staged = document.stage(planned.entries, source, refused: &refused)
    let measured = document.takeMeasured()
    documents[planned.document] = document
    desk.log(refused, of: client)
    batch.add(staged, to: planned.document, measured: measured, timing: timing)
  }

  /// Notes that a connection of a bridge has ended, and forgets the bridge unless it has open documents:
  /// then it will connect again.
  package func disconnected(_ key: EditorKey) {
    if desk.disconnect(key), case .bridge(let session) = key { turns.forget(session) }
  }

  /// The log and the files, for messages that are read on the loop.
  var environment: LSPEnvironment {
    var environment = LSPEnvironment(
      state: { [self] id in
        assumeIsolated { ingest in
          ingest.isKnown(id) ? try? ingest.liveDocument(id).state : nil
        }
      }, isKnown: { [self] id in assumeIsolated { $0.isKnown(id) } },
      // A file may grow after the cost of the message is estimated.
      fileSizeMax: options.longLength)
    environment.documents = { [self] folders in
      assumeIsolated { ingest in
        let begun = ingest.documents.startedNames.filter { folders.contains($0) }
        return Array(Set(ingest.writer.names { folders.contains($0) }).union(begun))
      }
    }
    return environment
  }
}

extension LSPEnvironment {
  /// An environment that reads files of at most `fileSizeMax` bytes.
  fileprivate init(
    state: @escaping (DocumentID) -> TextState?, isKnown: @escaping (DocumentID) -> Bool,
    fileSizeMax: Int
  ) {
    self.init(
      state: state, isKnown: isKnown,
      readDisk: { FileText.bytes(ofFileURI: $0.name, sizeMax: fileSizeMax) },
      hasFile: { FileText.exists(fileURI: $0.name) },
      digest: { $0.digest }, digestOfState: { $0.textDigest })
  }

  /// An environment in which the known documents are those with a state.
  fileprivate init(_ state: @escaping (DocumentID) -> TextState?) {
    self.init(state: state, isKnown: { state($0) != nil }, fileSizeMax: FileText.sizeMax)
  }
}

/// The newest version of a document: its state, or the history to read it from.
private enum NewestVersion: Sendable {
  case state(TextState)
  case history(History)

  /// The state. Returns nil if it cannot be read. O(n) for a history.
  var state: TextState? {
    switch self {
    case .state(let state): state
    case .history(let history): try? history.newestState()
    }
  }
}

extension LiveDocument {
  /// Applies the entries of a plan and returns those to log. Edits that do not fit are left out.
  fileprivate mutating func stage(
    _ planned: [PlannedEntry], _ source: EntrySource, refused: inout [EditError]
  ) -> [HistoryEntry] {
    guard !planned.isEmpty else { return [] }
    var (source, entries) = (source, [HistoryEntry]())
    let author = source.author
    if let introduction = introduce(source) { entries.append(.event(introduction)) }
    for entry in planned {
      switch entry {
      case .event(let kind): entries.append(.event(stage(kind, source)))
      case .edit(let edit):
        source.origin = edit.origin
        source.author = edit.author ?? author
        do {
          let staged = try stage(
            edit.action, source, opensTransaction: !edit.continuesTransaction)
          entries.append(.edit(staged))
        } catch {
          refused.append(error)
        }
      }
    }
    remember(source)
    return entries
  }
}
