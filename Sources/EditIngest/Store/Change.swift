import EditLog
import EditModel
package import EditProtocol
import EditQueries

/// A request that changes a store.
package protocol Change: MethodRequest {
  /// Performs the change. Returns when it is durable.
  ///
  /// - Throws: `ProtocolError`. Nothing was changed then, except that a repair may have repaired some
  ///   files.
  func perform(in store: WritableStore) async throws(ProtocolError) -> Answer
}

extension AppendRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> AppendResult {
    try await store.ingest.append(self, of: store.client)
  }
}

extension MarkRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> MarkAnswer {
    let sequence = try await sequence(store.engine)
    try await store.ingest.mark(document, label: label, at: sequence, of: store.client)
    return MarkAnswer(label: label, sequence: sequence)
  }
}

extension ImportRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> ImportAnswer {
    try await store.ingest.importEntries(self)
  }
}

extension RenameRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> RenameAnswer {
    try await store.ingest.rename(document, to: name, of: store.client)
    store.engine.dropCaches()
    return RenameAnswer()
  }
}

extension UndoRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> UndoAnswer {
    try await store.append(noting: \.sequence) { () throws(ProtocolError) in
      try await plan(store.engine)
    }
  }
}

extension RedoRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> UndoAnswer {
    try await store.append(noting: \.sequence) { () throws(ProtocolError) in
      try await plan(store.engine)
    }
  }
}

extension RestoreRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> RestoreAnswer {
    try await store.append(noting: \.sequence) { () throws(ProtocolError) in
      try await plan(store.engine)
    }
  }
}

extension StyleRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> StyleAnswer {
    try await store.append(noting: \.sequence) { () throws(ProtocolError) in
      try await plan(store.engine)
    }
  }
}

extension InsertAttachmentRequest: Change {
  package func perform(
    in store: WritableStore
  ) async throws(ProtocolError) -> InsertAttachmentAnswer {
    try await store.append(noting: \.sequence) { () throws(ProtocolError) in
      try await plan(store.engine)
    }
  }
}

extension AttachRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> AttachAnswer {
    let (attachment, isNew) = try await store.ingest.attach(content, to: document)
    return AttachAnswer(attachment.digest, content, isNew: isNew)
  }
}

extension WritableStore {
  /// Appends the edits that `plan` returns for the newest version, and returns its answer, with the
  /// number of the last edit in the member `sequence`. If another edit is logged between the two, they
  /// are planned again.
  fileprivate func append<Answer>(
    noting sequence: WritableKeyPath<Answer, SequenceNumber>,
    _ plan: () async throws(ProtocolError) -> (answer: Answer, request: AppendRequest)
  ) async throws(ProtocolError) -> Answer {
    while true {
      var (answer, request) = try await plan()
      if request.edits.isEmpty { return answer }
      do throws(ProtocolError) {
        answer[keyPath: sequence] = try await ingest.append(request, of: client).sequence
        return answer
      } catch {
        guard error.code == .sequenceConflict else { throw error }
      }
    }
  }
}

extension ForgetRequest: Change {
  package func perform(in store: WritableStore) async throws(ProtocolError) -> ForgetAnswer {
    defer { store.engine.dropCaches() }
    return switch target {
    case .name(let document):
      ForgetAnswer(try await store.ingest.forget(document, upTo: upTo))
    case .number(let number):
      ForgetAnswer(try await store.ingest.forget(number: number, upTo: upTo))
    }
  }
}

extension RepairRequest: Change {
  /// Repairs the files that can be repaired, then checks the store. If none can be repaired, no edit
  /// waits.
  package func perform(in store: WritableStore) async throws(ProtocolError) -> RepairAnswer {
    let (ingest, engine) = (store.ingest, store.engine)
    let plan = try await IngestHistories(ingest: ingest).repairPlan()
    defer { engine.dropCaches() }
    let repairs = plan.repairs.isEmpty ? [] : try await ingest.repair()
    let accepted = acceptsLoss ? try await ingest.acceptLosses() : []
    let removed = removesRecovered ? try await ingest.removeRecovered() : []
    engine.dropCaches()
    return RepairAnswer(
      isDryRun: false, repairs: repairs.map(RepairStep.init), removed: removed.map(\.file),
      accepted: accepted.map { RepairStep(file: $0.file, what: $0.what) },
      recovery: await ingest.recovered,
      findings: try await engine.answer(VerifyRequest()).findings)
  }
}
