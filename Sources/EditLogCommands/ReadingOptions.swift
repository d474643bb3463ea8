import ArgumentParser
import EditModel
import EditProtocol

/// Options of the verbs that read one history.
struct ReadingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      """
      Check the hash chain of the entries that are read, and use no checkpoint; exit status 65 if a link \
      does not hold. By default only checksums are checked.
      """))
  var verified = false

  @Option(
    help: ArgumentHelp(
      "Read only a history that confirms this head; implies --verified.", valueName: "head"))
  var head: String?

  func validate() throws {
    guard let head, AcknowledgedHead(head) == nil else { return }
    throw ValidationError("--head takes a head as `append` prints it: DOCUMENT@SEQUENCE:HEX.")
  }

  /// True if the links of the chain are checked.
  var isVerified: Bool { verified || head != nil }

  /// A document's history, with the checks that these options ask for.
  func reference(_ document: DocumentID) -> HistoryReference {
    HistoryReference(
      document, isVerified: isVerified, head: head.flatMap { AcknowledgedHead($0) })
  }

  /// These options for the parts of an answer after the first, which has confirmed the head.
  var afterFirstPart: ReadingOptions {
    var options = self
    (options.verified, options.head) = (isVerified, nil)
    return options
  }

  /// These options for what is read after all that it is read from was checked.
  var unverified: ReadingOptions {
    var options = self
    (options.verified, options.head) = (false, nil)
    return options
  }
}
