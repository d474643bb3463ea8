import EditJSON
import EditModel
import EditProtocol

/// The first line of what `repro` writes.
struct ReproHead: Hashable, Sendable {
  var document: DocumentID
  /// The version around which the edits are, in the history of the document.
  var point: SequenceNumber
  /// The same version in the lines that follow; nil if it is not in them.
  var sequence: SequenceNumber?
  /// The edits of origin load that make the text before the others.
  var loadCount: SequenceNumber
  /// The length of that text in UTF-16 units.
  var length: Int
  /// The edits after it.
  var editCount: SequenceNumber
  /// True if texts and names were replaced.
  var isRedacted: Bool
  /// The time of the first entry; nil if redacted.
  var time: Timestamp?

  private static let what =
    "the text of a document (lines of origin load) and edits after it; `editlog append NAME` reads it"

  /// The line.
  var line: JSONObject {
    var object: JSONObject = ["v": 1]
    if case .object(let own) = Self.codec.encode(self) {
      for member in own.members { object[member.name] = member.value }
    }
    return object
  }

  static let codec = Codec<Self>(
    {
      ReproHead(
        document: $2, point: $3, sequence: $4, loadCount: $5, length: $6, editCount: $7,
        isRedacted: $8, time: $9)
    },
    .required("repro", \.program, .string), .required("what", \.explanation, .string),
    .required("document", \.document, .document), .required("point", \.point, .unsigned),
    .optional("sequence", \.sequence, .unsigned), .required("loads", \.loadCount, .unsigned),
    .required("length", \.length, .length), .required("edits", \.editCount, .unsigned),
    .required("redacted", \.isRedacted, .bool), .optional("time", \.time, .time))

  /// The program that wrote the lines.
  private var program: String { "editlog \(EditLogVersion.current)" }
  private var explanation: String { Self.what }
}
