import EditJSON
import EditModel
import EditProtocol

/// What an import made, as `--json` prints it.
struct ImportedHistory: Hashable, Sendable {
  var document: DocumentID
  var edits: UInt64
  var transactions: UInt64
  /// What was repaired, one line each.
  var repairs: [String]
  /// What was not imported, and why, one line each.
  var leftOut: [String]
  /// The paragraphs that each item of a model became; nil if no model was imported.
  var items: [[ParagraphID]]?

  static let codec = Codec<Self>(
    {
      ImportedHistory(
        document: $0, edits: $1, transactions: $2, repairs: $3, leftOut: $4, items: $5)
    },
    .required("document", \.document, .document), .required("edits", \.edits, .unsigned),
    .required("transactions", \.transactions, .unsigned),
    .optional("repairs", \.repairs, .array(.string), else: []),
    .optional("leftOut", \.leftOut, .array(.string), else: []),
    .optional("items", \.items, .array(.array(.paragraph))))

  static var jsonLine: JSONLine { JSONLine("what was imported", codec) }
}
