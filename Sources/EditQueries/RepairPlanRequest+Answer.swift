package import EditLog
import EditModel
package import EditProtocol

extension RepairPlanRequest: Question {
  /// The files that would be rebuilt, and the steps that opening the store for writing would do.
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> RepairAnswer {
    let plan = try await engine.source.repairPlan()
    return RepairAnswer(
      isDryRun: true, repairs: plan.repairs.map(RepairStep.init),
      opening: plan.steps.map { RepairStep(file: $0.file, what: $0.what) })
  }
}

extension RepairStep {
  /// A repair of the log.
  package init(_ repair: Repair) {
    self.init(file: repair.file, document: repair.document, what: repair.what)
  }
}

extension ShownRecovery {
  /// The steps that opening the store did.
  package init(_ report: RecoveryReport) {
    self.init(
      tornSize: report.tornBytes,
      madeAnew: report.madeAnew.map { RepairStep(file: $0.file, what: $0.what) },
      quarantined: report.quarantined, forgottenCount: report.forgotten.count)
  }
}

extension ForgetAnswer {
  /// A receipt of the log.
  package init(_ receipt: ForgetReceipt) {
    self.init(
      document: receipt.document, editCount: receipt.editCount, eventCount: receipt.eventCount,
      fileCount: receipt.removed.fileCount, size: receipt.removed.size,
      journalCount: receipt.removed.journals.count,
      sealedDocumentCount: receipt.sealedDocumentCount,
      erased: receipt.removed.erased.map { "quarantine/\($0)" },
      unreadableSize: receipt.removed.unreadableSize)
  }
}
