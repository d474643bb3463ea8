import EditLog
import EditModel
import TestSupport

/// What a copy has to have: taken before its run begins, compared after it.
struct CopyCheck {
  let workload: Workload
  /// The number of entries of each document that were acknowledged before the run began.
  let acknowledged: [DocumentID: Int]
  private let doomed: DoomedDocuments
  private let expected: DoomedDocuments.Expected

  init(_ workload: Workload, _ doomed: DoomedDocuments) {
    (self.workload, self.doomed) = (workload, doomed)
    (acknowledged, expected) = (workload.oracle.acknowledged, doomed.expected)
  }

  /// The documents that were forgotten before the run began.
  var forgotten: [DocumentID] { expected.forgotten }

  /// - Throws: `StateCheck.Failure`, or the error with which the copy refuses to be read.
  func check(_ copy: Store) throws {
    try Self.checkSound(copy)
    try checkEntries(copy, has: acknowledged)
    try DoomedDocuments.check(copy, expected, now: doomed.expected)
  }

  /// Compares the entries with the workload, of which at least `counts` must be there. Returns their
  /// numbers.
  @discardableResult
  func checkEntries(
    _ copy: Store, has counts: [DocumentID: Int]
  ) throws -> [DocumentID: Int] {
    var found: [DocumentID: Int] = [:]
    for document in workload.documents {
      let list = try entries(copy.history(of: document))
      guard list.count >= counts[document] ?? 0 else {
        throw StateCheck.Failure(
          what: "a copy lacks what was acknowledged",
          detail: "\(list.count) of \(counts[document] ?? 0) entries of \(document)")
      }
      guard workload.oracle.histories[document, default: []].starts(with: list) else {
        throw StateCheck.Failure(what: "wrong entries", detail: "\(document)")
      }
      found[document] = list.count
    }
    return found
  }

  static func checkSound(_ copy: Store) throws {
    let report = try copy.verify()
    var problems = report.problems.map { "\($0)" } + copy.damages.map { "\($0)" }
    problems += report.losses.map { "\($0)" } + report.unknownFiles
    guard problems.isEmpty else {
      throw StateCheck.Failure(what: "a copy is not sound", detail: "\(problems)")
    }
  }
}
