import ArgumentParser
import EditProtocol

/// The option of verbs that log edits.
struct AuthorOption: ParsableArguments {
  @Option(
    name: .customLong("author"),
    help: ArgumentHelp(
      """
      Author of the change. (default: $EDITLOG_AUTHOR, else git's user.name, else your login name)
      """, valueName: "name"))
  var name: String?

  func validate() throws { try Author.validate(name) }
}

/// `--author` of a verb whose input may name the authors of edits.
struct DefaultAuthorOption: ParsableArguments {
  @Option(
    name: .customLong("author"),
    help: ArgumentHelp(
      """
      Author of the edits that name none. (default: $EDITLOG_AUTHOR, else git's user.name, else \
      your login name)
      """, valueName: "name"))
  var name: String?

  func validate() throws { try Author.validate(name) }
}

/// The name of the user who makes edits.
struct Author {
  /// The maximum size of a name, in bytes of UTF-8.
  static let sizeMax = AppendRequest.authorSizeMax

  /// Refuses a value of `--author` that is no name.
  static func validate(_ name: String?) throws {
    if let name, !isValid(name) {
      throw ValidationError("--author takes a name of 1 to \(sizeMax) bytes.")
    }
  }

  static func isValid(_ name: String) -> Bool { (1...sizeMax).contains(name.utf8.count) }

  var environment: @Sendable (String) -> String? = Terminal.environment
  /// git's `user.name` in the working directory; nil if there is none.
  var gitName: @Sendable () -> String? = ThisProcess.gitUserName
  var loginName: @Sendable () -> String? = { ThisProcess.loginName }

  /// The name: `option`, else that of the environment, of git, of the system. Nil if none is known.
  ///
  /// - Throws: `CommandError` (64) if `EDITLOG_AUTHOR` is too long.
  func resolved(_ option: String?) throws(CommandError) -> String? {
    if let option { return option }
    if let name = environment("EDITLOG_AUTHOR") {
      guard Self.isValid(name) else {
        throw .usage("EDITLOG_AUTHOR has more than \(Self.sizeMax) bytes; set a shorter name")
      }
      return name
    }
    if let name = gitName(), Self.isValid(name) { return name }
    return loginName().flatMap { Self.isValid($0) ? $0 : nil }
  }
}
