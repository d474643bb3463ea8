import EditLog
import EditModel
package import EditProtocol

extension UsageRequest: Question {
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> UsageAnswer {
    let usage = try await engine.source.usage()
    let now = engine.clock.now()
    return UsageAnswer(
      documents: usage.documents.map { ShownUsage($0, now: now) }
        .sorted { $0.document.name.precedesExactly($1.document.name) },
      totals: UsageAnswer.Totals(
        size: usage.size, journals: usage.journalSize,
        journalOverhead: usage.journalOverheadSize, overhead: usage.overheadSize,
        quarantine: usage.quarantineSize))
  }
}

extension ShownUsage {
  fileprivate init(_ usage: DocumentUsage, now: Timestamp) {
    self.init(
      document: usage.document, size: usage.size, editCount: usage.editCount,
      blocks: usage.blockSize, footers: usage.footerSize, parity: usage.paritySize,
      checkpoints: usage.checkpointSize, attachments: usage.attachmentSize,
      journal: usage.journalSize, name: usage.nameSize,
      other: usage.otherSize,
      bytesPerEdit: usage.editCount > 0 ? Double(usage.size) / Double(usage.editCount) : nil,
      ages: Ages(usage.ages, now: now))
  }
}

extension ShownUsage.Ages {
  private static let dayLength: Int64 = 86_400_000_000_000

  /// The bytes of each band of ages.
  fileprivate init(_ ages: [DocumentUsage.Age], now: Timestamp) {
    self.init()
    for age in ages {
      let (past, isOverflow) = now.nanoseconds.subtractingReportingOverflow(age.time.nanoseconds)
      switch isOverflow ? Int64.max : past / Self.dayLength {
      case ..<1: day += age.size
      case ..<7: week += age.size
      case ..<30: month += age.size
      default: older += age.size
      }
    }
  }
}
