import EditLog
import EditModel

/// Readings of a store that a workload is written to meanwhile.
struct StoreReading {
  let path: String
  let fileSystem: any FileSystem
  let workload: Workload
  /// How many entries of each document the reading before gave.
  private var counts: [DocumentID: Int] = [:]

  init(_ path: String, _ fileSystem: any FileSystem, _ workload: Workload) {
    (self.path, self.fileSystem, self.workload) = (path, fileSystem, workload)
  }

  /// Reads all documents, and verifies the store if `verifies`.
  ///
  /// - Throws: `StateCheck.Failure` if something is missing, wrong, or said to be damaged.
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
      // Asked afterwards: it was submitted before it was written.
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
  /// Runs a reading, and says what it found.
  func check(_ reading: () throws -> Void) {
    do { try reading() } catch let failure as StateCheck.Failure {
      found(failure.what, failure.detail)
    } catch {
      found("a reading failed", "\(error)")
    }
    campaign.note()
  }
}
