package import EditJSON
import EditProtocol

/// What `project sqlite --json` prints after each update of the file.
package struct ProjectedRows: Hashable, Sendable {
  /// The path of the file, as it was given.
  package var output: String
  /// The documents and the edits that the file has.
  package var documents: Int
  package var edits: UInt64
  /// The edits that were written by this update.
  package var newEdits: UInt64
  /// The forgotten documents whose rows were removed.
  package var removedDocuments: Int
  /// The time that the update took.
  package var nanoseconds: UInt64

  /// The numbers of an update.
  package init(
    output: String, documents: Int, edits: UInt64, newEdits: UInt64, removedDocuments: Int,
    nanoseconds: UInt64
  ) {
    (self.output, self.documents, self.edits) = (output, documents, edits)
    (self.newEdits, self.removedDocuments) = (newEdits, removedDocuments)
    self.nanoseconds = nanoseconds
  }

  static let codec = Codec<Self>(
    {
      ProjectedRows(
        output: $0, documents: $1, edits: $2, newEdits: $3, removedDocuments: $4, nanoseconds: $5)
    },
    .required("output", \.output, .string), .required("documents", \.documents, .count),
    .required("edits", \.edits, .unsigned), .required("newEdits", \.newEdits, .unsigned),
    .required("removedDocuments", \.removedDocuments, .count),
    .required("nanoseconds", \.nanoseconds, .unsigned))

  /// The line's object.
  package var json: JSON { Self.codec.encode(self) }
}
