/// An error that ends a verb: the line printed on standard error, and the exit code.
///
/// The codes are those of sysexits.h, as the help text of `editlog` lists them.
public struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exit code, 64 or above except for the codes that `verify` and `repair` define.
  public let exitCode: Int32
  /// One line: what failed, on what, and the next step.
  public let message: String

  /// An error with this code and line.
  public init(exitCode: Int32, _ message: String) {
    (self.exitCode, self.message) = (exitCode, message)
  }

  /// The message, without the exit code.
  public var description: String { message }

  /// The arguments are wrong.
  package static func usage(_ message: String) -> Self { .init(exitCode: 64, message) }
  /// The input has another format than the verb reads.
  package static func data(_ message: String) -> Self { .init(exitCode: 65, message) }
  /// There is no such file, document or point.
  package static func notFound(_ message: String) -> Self { .init(exitCode: 66, message) }
  /// The daemon cannot be reached, or a program that the verb needs is missing.
  static func unavailable(_ message: String) -> Self { .init(exitCode: 69, message) }
  /// An internal inconsistency of the program.
  package static func internalError(_ message: String) -> Self { .init(exitCode: 70, message) }
  /// Reading or writing failed.
  package static func io(_ message: String) -> Self { .init(exitCode: 74, message) }
  /// The user may not do this.
  static func notPermitted(_ message: String) -> Self { .init(exitCode: 77, message) }
}
