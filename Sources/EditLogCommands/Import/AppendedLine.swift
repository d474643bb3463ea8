import EditJSON
import EditModel
import EditProtocol

/// The answer of `append` to a line of its input.
struct AppendedLine: Hashable, Sendable {
  /// The number of the line, from 1.
  var line: Int
  /// The name of the line's event; nil if it has edits, or begins a repro.
  var event: String?
  /// The first edit of the line.
  var first: SequenceNumber?
  /// The last edit of the line, or the version that the line names. Nil if the line was left out.
  var sequence: SequenceNumber?
  /// True if it is on the disk. Nil if the line was left out.
  var isDurable: Bool?
  /// The head after the last edit of a request.
  var head: AcknowledgedHead?
  /// True if nothing was logged for the line.
  var isSkipped = false

  static let codec = Codec<Self>(
    {
      AppendedLine(
        line: $0, event: $1, first: $2, sequence: $3, isDurable: $4, head: $5, isSkipped: $6)
    },
    .required("line", \.line, .count), .optional("event", \.event, .string),
    .optional("first", \.first, .unsigned), .optional("sequence", \.sequence, .unsigned),
    .optional("durable", \.isDurable, .bool), .optional("head", \.head, .head),
    .optional("skipped", \.isSkipped, .bool, else: false))
}
