import ArgumentParser
import EditProtocol

/// Options of the verbs that read one history.
struct ReadingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Check the hash chain of what is read, and use no checkpoint.",
      discussion: "Ends with 65 if a link does not hold. Without it, checksums are trusted."))
  var verified = false

  @Option(
    help: ArgumentHelp(
      "Read only a history that confirms this head; implies --verified.", valueName: "head"))
  var head: String?

  func validate() throws {
    guard let head, AcknowledgedHead(head) == nil else { return }
    throw ValidationError("--head takes a head as `append` prints it: DOCUMENT@SEQUENCE:HEX.")
  }

  /// True if the chain is to be checked.
  var isVerified: Bool { verified || head != nil }

  /// `params` with what is asked for here.
  func adding(to params: JSONObject = [:]) -> JSONObject {
    var params = params
    if isVerified { params["verified"] = true }
    if let head { params["head"] = JSON(head) }
    return params
  }
}
