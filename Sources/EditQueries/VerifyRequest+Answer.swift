import EditLog
import EditLogFormat
import EditModel
package import EditProtocol
import Glibc

extension VerifyRequest: Question {
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> VerifyAnswer {
    let report = try await engine.source.verify(engine.work)
    let damages = report.damages.sorted { $0.key.name.precedesExactly($1.key.name) }
      .flatMap { document, damages in
        damages.map { Finding($0, document, report.quarantined) }
      }
    // A journal in quarantine is reported as a loss, unless all its entries are in the histories.
    let quarantined = report.quarantinedFiles.filter {
      $0.content == .recovered || !report.listsLosses || !$0.file.hasSuffix(".journal")
    }
    var findings = report.problems.map { Finding($0) }
    findings += report.badCheckpoints.map { Finding(checkpoint: $0) }
    findings += damages + report.losses.map { Finding($0) } + report.tornEnds.map { Finding($0) }
    findings += quarantined.map { Finding($0) }
    findings += report.unknownFiles.map { Finding(unknown: $0) }
    var confirmedCount = 0
    for (index, head) in heads.enumerated() {
      try engine.work?.pass(0.9 + 0.1 * Double(index) / Double(heads.count))
      let isProven = !report.unproven.contains(head.document)
      let finding = try await engine.confirm(head, isProven: isProven)
      if let finding { findings.append(finding) } else { confirmedCount += 1 }
    }
    return VerifyAnswer(
      isSound: findings.allSatisfy(\.kind.isSound), documentCount: report.documentCount,
      editCount: UInt64(report.editCount), eventCount: UInt64(report.eventCount),
      badCheckpointCount: report.badCheckpoints.count, confirmedCount: confirmedCount,
      findings: findings,
      heads: report.heads.sorted { $0.key.name.precedesExactly($1.key.name) }.compactMap {
        document, place in
        AcknowledgedHead(document, place.sequence, place.head)
      })
  }
}

extension QueryEngine {
  /// The finding that a history does not confirm a head; nil if it confirms it.
  fileprivate func confirm(
    _ head: AcknowledgedHead, isProven: Bool
  ) async throws(ProtocolError) -> Finding? {
    let edit = "edit \(head.sequence) was acknowledged"
    var (file, what) = ("documents", "\(edit), but there is no such document")
    do {
      if let history = try await source.history(of: head.document) {
        file = history.file(of: head.sequence)
        if let value = ChainHead(bytes: head.head.bytes),
          try history.confirms(value, at: head.sequence)
        {
          return isProven
            ? nil
            : Finding(
              .damaged, document: head.document, file: file,
              what: """
                the head of edit \(head.sequence) is not confirmed: entries do not agree with the \
                hash chain
                """,
              remedy: "look for a copy of the store that confirms the head")
        }
        what =
          history.lastSequence < head.sequence
          ? "the history was truncated: \(edit), but it ends with edit \(history.lastSequence)"
          : "the history was rewritten: \(edit) with another head"
      }
    } catch {
      let error = ProtocolError(reading: error)
      guard error.code == .damagedLog, let file = error.damagedFile else { throw error }
      return Finding(
        .damaged, document: head.document, file: below(file), offset: error.damagedOffset ?? 0,
        what: "it is unknown whether edit \(head.sequence) is the acknowledged one: \(error)",
        remedy: "put the damaged file back from a copy of the store, and verify again")
    }
    return Finding(
      .rewritten, document: head.document, file: below(file),
      what: what,
      remedy: "look for a copy of the store that confirms the head")
  }

  /// A file's path, relative to the store's folder.
  private func below(_ file: String) -> String {
    let folder = source.path + "/"
    guard file.hasPrefix(folder) else { return file }
    return String(decoding: file.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }
}

extension Finding {
  private static let acceptance =
    "put what is missing back from a copy, or accept it with `editlog repair --accept-loss`"

  fileprivate init(_ problem: VerificationReport.Problem) {
    var (kind, file, what) = (Kind.damaged, problem.error.path, "\(problem.error)")
    var offset: Int?
    switch problem.error {
    case .damaged(let damaged, let position, let problem):
      (file, offset, what) = (damaged, position, problem)
    case .refused(let path, let problem): (kind, file, what) = (.refused, path, problem)
    case .newerFormat: kind = .newer
    case let error: if error.isDenied { kind = .refused }
    }
    if kind == .damaged, problem.isRepairable { kind = .repairable }
    self.init(
      kind, document: problem.document, file: file, offset: offset, what: what,
      firstEdit: problem.edits?.lowerBound, lastEdit: problem.edits?.upperBound,
      remedy: Self.remedy(kind, file))
  }

  private static func remedy(_ kind: Kind, _ file: String) -> String {
    switch kind {
    case .repairable: "`editlog repair` rebuilds it"
    case .refused: "check the file's kind, owner and permissions"
    case .newer: "upgrade EditLog"
    case .damaged where file.hasSuffix(".attachment"):
      """
      put the file back from a copy, attach the same bytes again, or accept the loss with `editlog \
      repair --accept-loss`
      """
    default: acceptance
    }
  }

  fileprivate init(checkpoint problem: VerificationReport.Problem) {
    self.init(problem)
    remedy = "`editlog repair` removes it, or editlogd after it started; nothing is lost"
  }

  fileprivate init(unknown path: String) {
    self.init(
      .unknown, file: path, what: "a file that does not belong to a store",
      remedy: "move it away; nothing reads it")
  }

  fileprivate init(_ loss: StoreLoss) {
    if let time = loss.acceptedTime {
      self.init(.accepted, file: loss.file, what: loss.what, acceptedTime: time)
    } else {
      self.init(
        loss.kind == .entries ? .lost : .repaired, file: loss.file, what: loss.what,
        remedy: loss.file == StoreLayout.backup
          ? "run `editlog backup` to this folder again, or accept it with `editlog repair --accept-loss`"
          : Self.acceptance)
    }
  }

  fileprivate init(_ damage: HistoryDamage, _ document: DocumentID, _ quarantined: [String]) {
    var what = "\(document.shown) lacks \(damage.missing) after edit \(damage.after)"
    if damage.unreachableEntries > 0 {
      what += """
        : \(damage.lostEntries) are lost, and \(damage.unreachableEntries) after them are kept in \
        quarantine
        """
    }
    self.init(
      damage.isAccepted ? .accepted : .lost, document: document,
      file: damage.file(quarantined: quarantined), what: what,
      remedy: damage.isAccepted ? nil : Self.acceptance)
  }

  fileprivate init(_ torn: (file: String, offset: Int, size: Int)) {
    self.init(
      .torn, file: torn.file, offset: torn.offset,
      what: "\(torn.size) bytes of a write that was cut short before it was acknowledged",
      remedy: "`editlog repair`, or a start of editlogd, moves them to quarantine")
  }

  /// A file in quarantine: handled, or with entries that may be in no history.
  fileprivate init(_ quarantined: QuarantinedFile) {
    let (kind, what, remedy): (Kind, String, String) =
      switch quarantined.content {
      case .recovered:
        (
          .handled, "all entries in it are in the histories",
          "`editlog repair --remove-recovered` removes it"
        )
      case .unacknowledged:
        (
          .handled, "the end of a write that was cut short before it was acknowledged",
          "keep it, or remove the file: no history needs it"
        )
      case .unproven where quarantined.file.hasSuffix(".attachment"):
        (
          .repaired, "a damaged attachment, whose loss was accepted",
          "keep it, or remove the file when you do not need it"
        )
      case .unproven(let reason):
        (
          quarantined.file.hasSuffix(".mended") ? .repaired : .damaged,
          "a quarantined file that may hold entries that no history has: \(reason)",
          "keep it, or remove the file when you do not need it"
        )
      }
    self.init(kind, file: quarantined.file, what: what, remedy: remedy)
  }
}

extension LogError {
  /// True if the file may not be read.
  fileprivate var isDenied: Bool {
    if case .io(_, _, let code) = self { code == EACCES || code == EPERM } else { false }
  }
}
