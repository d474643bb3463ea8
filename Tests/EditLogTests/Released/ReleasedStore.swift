import EditModel
import TestSupport

@testable import EditLog
@testable import EditLogFormat

/// A store that was made for the tests, and what a reader must find in it.
struct ReleasedStore {
  var system: SimulatedFileSystem
  var expected = Expectation()
}

/// What must be found in a store, as the lines of a text file that sorts nothing and says
/// everything: see `lines`.
struct Expectation: Equatable {
  enum Verdict: String { case sound, repairable, damaged, newer }

  /// A document that can be read.
  struct Document: Equatable {
    var number: UInt64
    var edits: Int
    var events: Int
    /// SHA-256 over the records of all entries, meta and content each after its size as u64.
    var digest: String
    var name: String
  }

  var verdict = Verdict.sound
  /// Bytes of a journal after its last batch that are not zero.
  var tornBytes = 0
  var journalDamages: [JournalDamage] = []
  var historyDamages: [(document: UInt64, damage: HistoryDamage)] = []
  /// Numbers of the documents that are refused: of a newer format, or with a section that this
  /// version does not take.
  var refused: [UInt64] = []
  var documents: [Document] = []

  /// One finding a line; what goes without saying is left out.
  var lines: [String] {
    var lines = ["verdict \(verdict.rawValue)"]
    if tornBytes > 0 { lines.append("torn \(tornBytes)") }
    for damage in journalDamages {
      lines.append("journal-damage \(damage.journal) \(damage.offset) \(damage.lostBatches)")
    }
    for (document, damage) in historyDamages {
      lines.append(
        "history-damage \(document) \(damage.after) \(damage.lostEntries) "
          + "\(damage.unreachableEntries) \(damage.journal)")
    }
    for number in refused { lines.append("refused \(number)") }
    for document in documents.sorted(by: { $0.number < $1.number }) {
      lines.append(
        "document \(document.number) \(document.edits) \(document.events) \(document.digest) "
          + document.name)
    }
    return lines
  }

  static func == (left: Expectation, right: Expectation) -> Bool { left.lines == right.lines }
}

extension Expectation.Document {
  /// A document that has exactly these entries.
  init(_ number: UInt64, _ name: DocumentID, _ entries: [HistoryEntry]) {
    let edits = entries.count { $0.isEdit }
    self.init(
      number: number, edits: edits, events: entries.count - edits,
      digest: rowDigest(of: entries), name: name.name)
  }
}
