import EditLogFormat
import EditModel
import Synchronization

extension Store {
  /// Each thread holds the replayed state of one document and some open files, so their number is
  /// bounded.
  private static let threadCountMax = 4

  /// Checks all documents, and adds the findings to `report` in the order of the documents' numbers.
  /// `listed` are the attachments that must be there, by the document's number.
  ///
  /// - Returns: false if `shouldContinue` returned false.
  func checkDocuments(
    _ listed: [UInt64: [AttachmentDigest: Int]], _ comparing: (any CheckpointComparing)?,
    threadCount: Int?, _ report: inout VerificationReport,
    while shouldContinue: @escaping @Sendable (Double) -> Bool
  ) throws(LogError) -> Bool {
    let documents = try documentNumbers().sorted { $0.value < $1.value }
    let threadCount = threadCount ?? min(processorCount, Self.threadCountMax)
    let wasLive = Result { () throws(LogError) in try isLive }
    let checks = DocumentChecks(count: documents.count, while: shouldContinue)
    performConcurrently(documents.count, threadCount: threadCount, .low) { [self] index in
      let (document, number) = documents[index]
      guard checks.pass(index, 0) else { return }
      var found = VerificationReport()
      // A writer may have begun or ended meanwhile.
      func isLive() throws(LogError) -> Bool {
        if try wasLive.get() { return true }
        return try self.isLive
      }
      do throws(LogError) {
        try checkAttachments(of: document, number, listed[number] ?? [:], &found)
        if let history = try history(of: document) {
          try check(history, isLive: isLive, &found)
          let isWhole = try history.verify(
            &found, comparing, isLive: isLive,
            while: { checks.pass(index, $0) })
          guard isWhole else { return }
        }
      } catch { found.note(document, error) }
      checks.add(found, of: index)
    }
    guard let (sound, suspects) = checks.results else { return false }
    report.add(sound)
    guard !suspects.isEmpty else { return true }
    // They may have been removed while they were read.
    let forgotten = try forgottenSince(
      opened: suspects.filter { !$0.report.problems.isEmpty }.map { documents[$0.index].value })
    for (index, found) in suspects
    where found.problems.isEmpty || !forgotten.contains(documents[index].value) {
      report.add(found)
    }
    return true
  }
}

/// The findings of threads that check documents.
private final class DocumentChecks: Sendable {
  private struct State {
    var sound = VerificationReport()
    var suspects: [(index: Int, report: VerificationReport)] = []
    var isStopped = false
  }

  private let count: Int
  private let shouldContinue: @Sendable (Double) -> Bool
  private let state = Mutex(State())

  init(count: Int, while shouldContinue: @escaping @Sendable (Double) -> Bool) {
    (self.count, self.shouldContinue) = (count, shouldContinue)
  }

  /// The sum of the reports without findings whose order matters, and the other reports in the order of
  /// the documents; nil if the check was stopped.
  var results: (sound: VerificationReport, suspects: [(index: Int, report: VerificationReport)])? {
    state.withLock { state in
      state.isStopped ? nil : (state.sound, state.suspects.sorted { $0.index < $1.index })
    }
  }

  /// Called when `part` of a document is checked, 0 to 1. False if the check is to stop.
  func pass(_ index: Int, _ part: Double) -> Bool {
    state.withLock { state in
      if !state.isStopped {
        state.isStopped = !shouldContinue((Double(index) + part) / Double(count))
      }
      return !state.isStopped
    }
  }

  /// Adds the report of a document. O(1), apart from its findings.
  func add(_ report: VerificationReport, of index: Int) {
    state.withLock { state in
      if report.problems.isEmpty, report.badCheckpoints.isEmpty {
        state.sound.add(report)
      } else {
        state.suspects.append((index, report))
      }
    }
  }
}

extension VerificationReport {
  /// Adds the report of other documents.
  fileprivate mutating func add(_ other: VerificationReport) {
    documentCount += other.documentCount
    editCount += other.editCount
    eventCount += other.eventCount
    problems += other.problems
    badCheckpoints += other.badCheckpoints
    damages.merge(other.damages) { $1 }
    unproven.formUnion(other.unproven)
    heads.merge(other.heads) { $1 }
  }
}
