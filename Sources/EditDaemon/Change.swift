import EditLog
import EditModel
package import EditProtocol
import EditQueries

/// A call that changes the store: the daemon performs it.
package protocol Change: MethodRequest {
  /// Performs the change. Returns when it is durable.
  ///
  /// - Throws: `ProtocolError`. Nothing was changed then, except that a repair may have repaired some
  ///   files.
  func perform(services: DaemonServices) async throws(ProtocolError) -> Answer
}

extension AppendRequest: Change {
  package func perform(
    services: DaemonServices
  ) async throws(ProtocolError) -> AppendResult {
    try await services.ingest.append(self)
  }
}

extension MarkRequest: Change {
  package func perform(services: DaemonServices) async throws(ProtocolError) -> MarkAnswer {
    let sequence = try await sequence(services.engine)
    try await services.ingest.mark(document, label: label, at: sequence)
    return MarkAnswer(label: label, sequence: sequence)
  }
}

extension UndoRequest: Change {
  package func perform(services: DaemonServices) async throws(ProtocolError) -> UndoAnswer {
    try await services.append { () throws(ProtocolError) in try await plan(services.engine) }
  }
}

extension RedoRequest: Change {
  package func perform(services: DaemonServices) async throws(ProtocolError) -> UndoAnswer {
    try await services.append { () throws(ProtocolError) in try await plan(services.engine) }
  }
}

extension DaemonServices {
  /// Appends the edits that `plan` makes against the newest version. If another edit comes between,
  /// they are planned again.
  fileprivate func append(
    _ plan: () async throws(ProtocolError) -> (step: Int, request: AppendRequest)
  ) async throws(ProtocolError) -> UndoAnswer {
    while true {
      let (step, request) = try await plan()
      do throws(ProtocolError) {
        let result = try await ingest.append(request)
        return UndoAnswer(step: step, sequence: result.sequence)
      } catch {
        guard error.code == .sequenceConflict else { throw error }
      }
    }
  }
}

extension ForgetRequest: Change {
  package func perform(services: DaemonServices) async throws(ProtocolError) -> ForgetAnswer {
    switch target {
    case .name(let document):
      ForgetAnswer(try await services.ingest.forget(document, upTo: upTo))
    case .number(let number):
      ForgetAnswer(try await services.ingest.forget(number: number, upTo: upTo))
    }
  }
}

extension RepairRequest: Change {
  /// Repairs what can be repaired, and checks what is left. If nothing can be, no edit waits.
  package func perform(services: DaemonServices) async throws(ProtocolError) -> RepairAnswer {
    let (ingest, engine) = (services.ingest, services.engine)
    let plan = try await DaemonHistories(ingest: ingest).repairPlan()
    let repairs = plan.repairs.isEmpty ? [] : try await ingest.repair()
    let accepted = acceptsLoss ? try await ingest.acceptLosses() : []
    let removed = removesRecovered ? try await ingest.removeRecovered() : []
    engine.dropStates()
    return RepairAnswer(
      isDryRun: false, repairs: repairs.map(RepairStep.init), removed: removed.map(\.file),
      accepted: accepted.map { RepairStep(file: $0.file, what: $0.what) },
      recovery: await ingest.recovered,
      findings: try await engine.answer(VerifyRequest()).findings)
  }
}
