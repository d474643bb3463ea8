import EditJSON
import EditModel
import EditProtocol

/// The result of `bisect`, as `--json` prints it.
struct BisectReport: Hashable, Sendable {
  var document: DocumentID?
  /// The edit after which the command first fails. Nil if that is a step of several edits, or was not
  /// found.
  var edit: EditPreview?
  /// The last edit of a step, and its time. Nil if `edit` is known.
  var (sequence, time): (SequenceNumber?, Timestamp?)
  /// The last version that is known to be good, and the first known to be bad.
  let (good, bad): (SequenceNumber, SequenceNumber)
  let skipped: [SequenceNumber]
  let tried: [Attempt]

  /// A run of the command.
  struct Attempt: Hashable, Sendable {
    var version: SequenceNumber
    var verdict: Bisection.Verdict
    /// The exit status; nil if a signal or the time limit ended the command.
    var exit: Int?

    static let codec = Codec<Self>(
      { Attempt(version: $0, verdict: $1, exit: $2) },
      .required("sequence", \.version, .unsigned), .required("result", \.verdict, .name()),
      .optional("exit", \.exit, .integer(in: 0...255)))
  }

  init(document: DocumentID?, _ result: BisectResult) {
    self.init(
      document, nil, nil, nil, result.search.good, result.search.bad,
      result.tries.all.filter { $0.verdict == .skipped }.map(\.version),
      result.tries.all.map { tried in
        var attempt = Attempt(version: tried.version, verdict: tried.verdict)
        if case .exited(let code) = tried.ending { attempt.exit = Int(code) }
        return attempt
      })
  }

  private init(
    _ document: DocumentID?, _ edit: EditPreview?, _ sequence: SequenceNumber?, _ time: Timestamp?,
    _ good: SequenceNumber, _ bad: SequenceNumber, _ skipped: [SequenceNumber], _ tried: [Attempt]
  ) {
    (self.document, self.edit, self.sequence, self.time) = (document, edit, sequence, time)
    (self.good, self.bad, self.skipped, self.tried) = (good, bad, skipped, tried)
  }

  static let codec = Codec<Self>(
    { BisectReport($0, $1, $1 == nil ? $2 : nil, $1 == nil ? $3 : nil, $4, $5, $6, $7) },
    .optional("document", \.document, .document),
    .optionalGroup("origin", \.edit, EditPreview.codec),
    .optional("sequence", \.sequence, .unsigned), .optional("time", \.time, .time),
    .required("good", \.good, .unsigned), .required("bad", \.bad, .unsigned),
    .required("skipped", \.skipped, .array(.unsigned)),
    .required("tried", \.tried, .array(Attempt.codec)))
}
