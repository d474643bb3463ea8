import EditLog
import EditModel
import TestSupport

/// Repeated readings of a store while a workload is written to it.
struct StoreReading {
  let path: String
  let fileSystem: any FileSystem
  let workload: Workload
  /// The number of entries of each document in the previous reading.
  private var counts: [DocumentID: Int] = [:]

  init(_ path: String, _ fileSystem: any FileSystem, _ workload: Workload) {
    (self.path, self.fileSystem, self.workload) = (path, fileSystem, workload)
  }

  /// Reads all documents and compares them with the workload; with `verifies` also verifies the
  /// store and lists its documents.
  ///
  /// - Throws: `StateCheck.Failure` if an entry is missing or wrong, or damage is reported.
  mutating func read(verifies: Bool) throws {
    let acknowledged = workload.oracle.acknowledged
    let store = try Store.open(at: path, fileSystem: fileSystem)
    guard store.damages.isEmpty else {
      throw StateCheck.Failure(what: "a false alarm", detail: "\(store.damages)")
    }
    for document in workload.documents {
      let history = try store.history(of: document)
      let found = try entries(history)
      let least = max(counts[document] ?? 0, acknowledged[document] ?? 0)
      guard found.count >= least, history?.damage.isEmpty ?? true else {
        throw StateCheck.Failure(
          what: "a reading lacks what was acknowledged",
          detail: "\(found.count) of \(least) entries of \(document)")
      }
      // Taken after the reading, because entries are submitted before they are written.
      guard workload.oracle.histories[document, default: []].starts(with: found) else {
        throw StateCheck.Failure(what: "wrong entries", detail: "\(document)")
      }
      counts[document] = found.count
    }
    if verifies { try verify(store) }
  }

  private func verify(_ store: Store) throws {
    var problems = try store.verify().problems.map { "\($0)" }
    problems += try store.documents(openingUpTo: 10).compactMap { $0.problem.map { "\($0)" } }
    guard problems.isEmpty else {
      throw StateCheck.Failure(what: "a false alarm", detail: "\(problems)")
    }
  }
}

extension Worker {
  /// Runs a reading, counts it, and reports what it throws.
  func check(_ reading: () throws -> Void) {
    do { try reading() } catch let failure as StateCheck.Failure {
      found(failure.what, failure.detail)
    } catch {
      found("a reading failed", "\(error)")
    }
    campaign.note()
  }
}
