import EditLog
import EditModel
import EditProtocol

extension QueryEngine {
  /// How the store is: what it holds, how large it is, what is damaged.
  func status() async throws(ProtocolError) -> JSON {
    let status = try await source.status()
    let summaries = try await source.documents()
    return [
      "version": JSON(EditLogVersion.current), "store": JSON("\(status.store)"),
      "path": JSON(source.path), "documents": JSON(summaries.count),
      "edits": JSON(summaries.reduce(0) { $0 + $1.lastSequence }),
      "sealedBytes": JSON(summaries.reduce(0) { $0 + $1.sealedSize }),
      "journalBytes": JSON(status.journals.values.reduce(0, +)),
      "damage": .array(status.damages.map { JSON("\($0)") }),
      "quarantined": JSON(status.quarantine.count),
    ]
  }
}
