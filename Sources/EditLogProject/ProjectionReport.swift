import EditJSON
import EditLogCommands
import EditModel

extension ProjectionUpdate {
  /// What an update did.
  struct Report: Hashable, Sendable {
    /// The documents whose rows the file has now.
    var documentCount = 0
    /// Their edits.
    var editCount: UInt64 = 0
    /// The edits that this update wrote.
    var newEditCount: UInt64 = 0
    /// The documents whose rows it changed, those without new edits included.
    var changedCount = 0
    /// The documents whose rows it removed.
    var removedCount = 0
    /// The documents that could not be read.
    var failureCount = 0
    /// Its duration in nanoseconds.
    var nanoseconds: Int64 = 0

    /// True if the file was changed.
    var isChange: Bool { changedCount > 0 || removedCount > 0 }

    /// A line for people.
    func line(_ path: String) -> String {
      let documents = documentCount == 1 ? "document" : "documents"
      let edits = editCount == 1 ? "edit" : "edits"
      var line =
        "\(path.shown): \(Numbers.grouped(UInt64(documentCount))) \(documents), "
        + "\(Numbers.grouped(editCount)) \(edits)"
      if newEditCount > 0 {
        let seconds = Double(max(nanoseconds, 1)) / 1e9
        line +=
          "; \(Numbers.grouped(newEditCount)) new in \(Numbers.decimal(seconds, 2)) s"
        // The rate of few edits says nothing.
        if newEditCount >= 10_000 {
          line += ", \(Numbers.grouped(UInt64(Double(newEditCount) / seconds)))/s"
        }
      }
      if removedCount > 0 { line += "; \(removedCount) forgotten and removed" }
      return line
    }

    /// The object of `--json`.
    func json(_ path: String) -> JSON {
      ProjectedRows(
        output: path, documents: documentCount, edits: editCount, newEdits: newEditCount,
        removedDocuments: removedCount, nanoseconds: UInt64(clamping: nanoseconds)
      ).json
    }
  }
}
