import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Replay
import Synchronization
import TextState

extension Ingest {
  /// Checks a request against the newest versions, and adds its entries to the batch.
  func stage(_ request: IngestRequest, _ batch: inout IngestBatch) {
    let request = notingFailure(of: request)
    do throws(ProtocolError) {
      try turns.admit(request.ticket)
      if isLong(request) {
        // The staged entries of its document and of its session must be logged first: if one of
        // them is refused, this request is refused too.
        flush(&batch)
        try turns.admit(request.ticket)
      }
      try checkNames(of: request)
      switch request {
      case .appended(let append):
        try stage(append, &batch)
      case .editor(let key, let message, let ticket, let timing, let reply):
        try stage(message, of: key, ticket, timing, &batch, reply)
      case .mark(let document, let label, let sequence, let client, let reply):
        try stage(mark: label, at: sequence, of: document, by: client, &batch, reply)
      case .imported(let request, let reply):
        try stage(request, &batch, reply)
      case .rename(let move, let client, let reply):
        try rename(move, by: client, &batch, reply)
      case .look(let body, let reply):
        // It may share the batch with requests of others, and does not fail with them.
        batch.whenDone { [self] _ in
          assumeIsolated { body($0) }
          reply(.success(()))
        }
      }
    } catch {
      request.refuse(error)
    }
  }

  /// Refuses a request for a new document whose name has a control character: no argument of a program
  /// can contain NUL, and the others are invisible in a list. Documents that already have such names
  /// keep them.
  private func checkNames(of request: IngestRequest) throws(ProtocolError) {
    if case .mark = request { return }
    for document in request.documents ?? [] {
      guard let scalar = document.name.firstControlCharacter, !isKnown(document) else { continue }
      throw ProtocolError(
        .invalidParams,
        """
        the name of the document has the control character \(scalar.codePoint); use a name without \
        control characters
        """)
    }
  }

  /// The request, with a reply that records a failure in `turns`.
  func notingFailure(of request: IngestRequest) -> IngestRequest {
    request.noting { [self] error, ticket in assumeIsolated { $0.turns.note(error, ticket) } }
  }

  private func stage(
    _ append: PendingAppend, _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    let (request, client) = (append.request, append.client)
    let isLong = isLong(request)
    // A save of what the log does not have.
    if request.edits.isEmpty, !isKnown(request.document) {
      throw .unknownDocument(request.document)
    }
    var document = try liveDocument(request.document)
    if document.place(of: request.ticket) != nil {
      return try answer(resent: append, &batch)
    }
    if try stage(askedBefore: append, document, &batch) { return }
    if try ask(append, document, &batch) { return }
    try checkNotOpen(request.document)
    try check(request, document)
    let now = clock.now()
    var reply: IngestRequest.Reply<AppendResult> = { append.reply($0) }
    if endDoubt(about: request.document) {
      reply = renewingDoubt(about: request.document, reply)
    }
    if let asked = askedBefore(request, document) {
      document.asked.removeAll { $0 == asked }
      keepAskedWhenDone(of: request.document, &batch)
    }
    guard isLong else {
      // The dictionary's copy would make each edit copy the text.
      documents[request.document] = nil
      defer { documents[request.document] = document }
      var run = IngestBatch.Run(document: request.document)
      let pending = PendingAppend(
        request, of: client, needsHead: true, timing: append.timing, reply)
      try run.stage(pending, at: now, in: &document, tracing)
      return batch.add(run)
    }
    begin(request.document, document) { [tracing] (document) throws(ProtocolError) in
      try request.checkParagraphCount()
      try document.checkSelections(of: request.edits)
      var staged = StagedDocument(document: document, timing: append.timing)
      staged.entries.reserveCapacity(request.edits.count)
      try staged.document.stage(request, of: client, at: now, tracing) {
        staged.entries.append($0)
      }
      return staged
    } whenDone: { [reply] result in
      // A request has at least one edit or event, so there is a receipt.
      reply(
        result.flatMap { receipt in
          receipt.map { .success(AppendResult($0, count: UInt64(request.edits.count))) }
            ?? .failure(Self.stopping)
        })
    }
  }

  /// Refuses edits from elsewhere while an editor has the document open: the editor would go on with a
  /// text that the log does not have.
  private func checkNotOpen(_ id: DocumentID) throws(ProtocolError) {
    if let client = desk.editor(of: id) { throw .openInEditor(id, client: client.shownName) }
  }

  /// Checks that the edits of a request fit the newest version, and may be logged there.
  func check(
    _ request: AppendRequest, _ document: borrowing LiveDocument
  ) throws(ProtocolError) {
    let latest = document.state.sequence
    let accepted = request.acceptsLoss ? request.base : nil
    if let loss = document.loss, loss.after == latest, accepted != loss.after {
      throw .loss(loss, of: request.document, in: quarantined) { file in
        """
        acknowledged entries of \(request.document.shown) after edit \(loss.after) are damaged in \
        \(file), so these edits may not fit; to append them there anyway, send them with base \
        \(loss.after) (`editlog append --base \(loss.after)`)
        """
      }
    }
    if !doubtful.isEmpty, doubtful.contains(request.document), accepted == nil {
      throw .doubtful(request.document, after: latest, writer.losses)
    }
    if let base = request.base, base != latest {
      throw .sequenceConflict(document: request.document, base: base, latest: latest)
    }
    try document.check(request.edits.lazy.map(\.action), lengthMax: options.textLengthMax)
    // Those of a long request are checked on another thread.
    if !isLong(request) { try document.checkSelections(of: request.edits) }
  }

  /// Stages the append requests that are next, as long as they are about one document that is in
  /// memory, are short, and fit. Returns their number. The requests of a client that does not wait for
  /// its answers cost much less so than one by one.
  func stageRun(_ waiting: inout [IngestRequest], _ batch: inout IngestBatch) -> Int {
    guard case .appended(let first)? = waiting.last, failure == nil, !batch.hasRenames else {
      return 0
    }
    let id = first.request.document
    guard upkeep.longWork[id] == nil, !doubtful.contains(id), !desk.isHeld(id),
      desk.editor(of: id) == nil
    else { return 0 }
    guard var document = documents[id], document.isStarted, document.asked.isEmpty else {
      return 0
    }
    // The dictionary's copy would make each edit copy the text.
    documents[id] = nil
    defer { documents[id] = document }
    var run = IngestBatch.Run(document: id)
    let now = clock.now()
    while batch.cost <= options.longLength, case .appended(let append)? = waiting.last,
      append.request.document == id, document.place(of: append.request.ticket) == nil
    {
      let request = append.request
      let cost = request.cost(
        runCount: document.state.attributeRunCount, length: document.state.length)
      guard cost <= options.longLength else { break }
      do throws(ProtocolError) {
        try turns.check(request.ticket)
        try check(request, document)
        try turns.admit(request.ticket, through: append.lastTicket)
        try run.stage(append, at: now, in: &document, tracing)
      } catch { break }
      waiting.removeLast()
      batch.cost += cost
    }
    guard !run.requests.isEmpty else { return 0 }
    batch.add(run) { [self] error, append in
      guard let ticket = append.request.ticket else { return }
      assumeIsolated { $0.turns.note(error, ticket, through: append.lastTicket) }
    }
    return run.requests.count
  }

  /// Ends the doubt about a document, because a request has named its version. Returns true if the
  /// document was doubtful.
  private func endDoubt(about document: DocumentID) -> Bool {
    !doubtful.isEmpty && doubtful.remove(document) != nil
  }

  /// The reply, which first makes the document doubtful again if the request that named its version
  /// failed.
  private func renewingDoubt(
    about document: DocumentID, _ reply: @escaping IngestRequest.Reply<AppendResult>
  ) -> IngestRequest.Reply<AppendResult> {
    { [self] result in
      if case .failure = result { assumeIsolated { _ = $0.doubtful.insert(document) } }
      reply(result)
    }
  }

  /// Answers a resent request with its first answer, if its edits are those that were logged.
  private func answer(
    resent append: PendingAppend, _ batch: inout IngestBatch
  ) throws(ProtocolError) {
    let request = append.request
    // The log is searched, so staged entries must be written first.
    flush(&batch)
    try turns.admit(request.ticket)
    let document = try liveDocument(request.document)
    guard let ticket = request.ticket, let place = document.place(of: ticket) else {
      // The flush failed, so the staged entries are not in the log.
      return try stage(append, &batch)
    }
    let history = try history(of: request.document)
    let found = Mutex<AppendResult?>(nil)
    begin(request.document, document) { (document) throws(ProtocolError) in
      let result = try history?.logged(ticket, notAfter: place).answer(to: request)
      found.withLock { $0 = result }
      return StagedDocument(document: document)
    } whenDone: { result in
      let answer = found.withLock { $0 }
      append.reply(
        result.flatMap { _ in answer.map { .success($0) } ?? .failure(.neverLogged(ticket)) })
    }
  }

  /// The history of a document. Returns nil if the document is not in the log.
  func history(of id: DocumentID) throws(ProtocolError) -> History? {
    do { return try writer.history(of: id) } catch { throw ProtocolError(error).about(id) }
  }

  private func stage(
    mark label: String, at sequence: SequenceNumber, of id: DocumentID,
    by client: ClientIdentity?, _ batch: inout IngestBatch,
    _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) {
    guard isKnown(id) else { throw .unknownDocument(id) }
    var document = try liveDocument(id)
    guard sequence <= document.state.sequence else {
      throw .unknownPoint("\(sequence)", document: id, latest: document.state.sequence)
    }
    let source = EntrySource(now: clock.now(), ticket: nil, of: client)
    let introduction = document.introduce(source)
    let mark = document.stage(.mark(label: label, at: sequence), source)
    documents[id] = document
    batch.add([introduction, mark].compactMap { $0.map { .event($0) } }, to: id)
    batch.whenDone { reply($0.map { _ in }) }
  }

  /// The newest version of a document: from memory, or read from the log. It is empty if the log has no
  /// such document.
  func liveDocument(_ id: DocumentID) throws(ProtocolError) -> LiveDocument {
    if let document = documents[id] { return document }
    // If another thread could not read it, this tries again and reports the error.
    upkeep.longWork.setUnreadable(id, false)
    let history = try history(of: id)
    do throws(LogError) {
      let document: LiveDocument
      if let history {
        document = try LiveDocument(id, history)
        if document.hasOldAsked { documents[id] = document; keepAsked(of: id) }
      } else {
        document = LiveDocument(
          id: id, state: TextState(), lastTime: Timestamp(nanoseconds: .min), sessions: [:])
      }
      documents[id] = document
      return document
    } catch {
      throw ProtocolError(error).about(id)
    }
  }

  /// The names of the files in quarantine. Empty if they cannot be read.
  private var quarantined: [String] { (try? writer.status().quarantine.keys).map(Array.init) ?? [] }

  /// True if the log has a history of this name, or the batch that is being staged begins one.
  func isKnown(_ id: DocumentID) -> Bool {
    if let document = documents[id] { return document.isStarted }
    // A history that cannot be read is known too: the error comes when it is read.
    do { return try writer.lastSequence(of: id) != nil } catch { return true }
  }
}

extension IngestBatch.Run {
  /// Applies the edits of a request to the newest version, which they fit, and adds their entries.
  mutating func stage(
    _ append: PendingAppend, at now: Timestamp, in document: inout LiveDocument,
    _ tracing: LiveTracing
  ) throws(ProtocolError) {
    try document.stage(append.request, append.parts, of: append.client, at: now, tracing) {
      entries.append($0)
    }
    requests.append((append, entries.count, document.state.sequence))
    for edit in document.takeMeasured() { measured.append((edit, append.timing)) }
  }
}

extension LiveDocument {
  /// Applies the edits of a request, which fit, and passes each to `log` as it is to be logged.
  ///
  /// - Parameters:
  ///   - parts: The requests of which it consists; none if it is one.
  ///   - client: The client, if it has described itself.
  ///   - tracing: Which edits are measured.
  mutating func stage(
    _ request: AppendRequest, _ parts: [PendingAppend.Part] = [], of client: ClientIdentity?,
    at now: Timestamp, _ tracing: LiveTracing, _ log: (HistoryEntry) -> Void
  ) throws(ProtocolError) {
    var source = EntrySource(now: now, ticket: request.ticket, of: client, tracing)
    let defaultAuthor = request.author ?? source.author
    // No entry is older than the one before it, and the times of these edits may be past ones.
    source.clientTime = request.edits.first?.time
    if let introduction = introduce(source) { log(.event(introduction)) }
    if let event = request.event {
      source.author = defaultAuthor
      log(.event(stage(event, source)))
    }
    var label: Int64?
    var part = 0
    for (index, edit) in request.edits.enumerated() {
      if part < parts.count, index == parts[part].end {
        part += 1
        source.ticket = parts[part].ticket
        label = nil
      }
      source.origin = request.loggedOrigin(of: edit)
      source.author = edit.author ?? defaultAuthor
      source.clientTime = edit.time
      let opens =
        (index == 0 || edit.transaction == nil || edit.transaction != label)
        && !continues(edit.composition, of: source)
      label = edit.transaction
      do {
        log(
          .edit(
            try stage(
              edit.action, selection: edit.selection, source, opensTransaction: opens)))
      } catch {
        throw .invalidEdit(at: index, error)
      }
      note(edit.composition, of: source)
    }
    if request.isSaved { log(.event(stage(.saved(state.textDigest), source))) }
    remember(source)
  }

  /// The newest version of a history.
  init(_ id: DocumentID, _ history: History) throws(LogError) {
    self.init(
      id: id, state: try history.newestState(), lastTime: try history.lastTime(),
      sessions: try history.sessions(),
      loss: history.damage.last.flatMap { $0.isAccepted ? nil : $0 })
    if let content = try history.asked { take(asked: AskedEdits.all(in: content)) }
  }
}

extension AppendRequest {
  /// Refuses edits that make more than `paragraphCountMax` paragraphs, before memory is taken for them.
  /// O(1) if their texts have fewer units, else O(units).
  fileprivate func checkParagraphCount() throws(ProtocolError) {
    let texts = edits.lazy.compactMap(\.action.replacement)
    guard texts.reduce(0, { $0 + $1.count }) > Self.paragraphCountMax else { return }
    let count = texts.reduce(0) { $0 + $1.terminatorCount }
    guard count <= Self.paragraphCountMax else {
      throw .tooManyParagraphs(count, countMax: Self.paragraphCountMax)
    }
  }
}

extension History {
  fileprivate func lastTime() throws(LogError) -> Timestamp {
    let edit = try time(ofEdit: lastSequence)
    let event = try events().last?.time
    return max(edit ?? Timestamp(nanoseconds: .min), event ?? Timestamp(nanoseconds: .min))
  }

  /// The newest state. O(n).
  func newestState() throws(LogError) -> TextState { try state(at: .latest) }

  /// The state of a version. O(n).
  func state(at sequence: SequenceNumber) throws(ProtocolError) -> TextState {
    do { return try state(at: .sequence(sequence)) } catch { throw ProtocolError(error) }
  }

  /// True if an edit after `sequence` was made in an editor: the others only lead back to the text of one.
  /// O(entries after it).
  func isTyped(after sequence: SequenceNumber) throws(ProtocolError) -> Bool {
    var isTyped = false
    do {
      try forEachEntry(after: sequence) { entry in
        if case .edit(let edit) = entry, edit.origin != .external { isTyped = true }
      }
    } catch { throw ProtocolError(reading: error).about(document) }
    return isTyped
  }

  private func state(at point: Point) throws(LogError) -> TextState {
    do {
      return try Replay(self).state(at: point)
    } catch {
      throw error.damage(of: self)
        ?? .damaged(file: file(of: lastSequence), offset: 0, what: "\(error)")
    }
  }
}

extension Unicode.Scalar {
  /// As in the Unicode standard: `U+0009`.
  fileprivate var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  /// The first of U+0000 to U+001F and U+007F to U+009F. O(n).
  fileprivate var firstControlCharacter: Unicode.Scalar? {
    // In UTF-8, U+0080 to U+009F begin with the byte C2.
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return nil }
    return unicodeScalars.first { $0.properties.generalCategory == .control }
  }
}
