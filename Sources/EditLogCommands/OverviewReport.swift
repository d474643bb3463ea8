import EditJSON
import EditProtocol

/// What `editlog` alone prints as JSON.
struct OverviewReport: Hashable, Sendable {
  /// True if a daemon answers.
  var hasDaemon = false
  var documentCount = 0
  /// The documents that were edited last, the newest first.
  var recent: [ListedDocument] = []

  static let codec = Codec<Self>(
    { OverviewReport(hasDaemon: $0, documentCount: $1, recent: $2) },
    .required("daemon", \.hasDaemon, .bool), .required("documentCount", \.documentCount, .count),
    .required("recent", \.recent, .array(ListedDocument.codec)))
}
