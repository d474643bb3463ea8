/// Why a verb ends early: the one line it prints on standard error, and its exit code.
///
/// The codes are those of sysexits.h, as the help text of `editlog` lists them.
public struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exit code.
  public let exitCode: Int32
  /// One line: what is wrong, and what to do.
  public let message: String

  /// An error with this code and line.
  public init(exitCode: Int32, _ message: String) {
    (self.exitCode, self.message) = (exitCode, message)
  }

  /// The line.
  public var description: String { message }

  /// The arguments cannot be meant.
  static func usage(_ message: String) -> Self { .init(exitCode: 64, message) }
  /// The input is not what the verb can read.
  package static func data(_ message: String) -> Self { .init(exitCode: 65, message) }
  /// There is no such file, document or point.
  package static func notFound(_ message: String) -> Self { .init(exitCode: 66, message) }
  /// The daemon cannot be reached, or a program that the verb needs is missing.
  static func unavailable(_ message: String) -> Self { .init(exitCode: 69, message) }
  /// The program contradicts itself.
  package static func internalError(_ message: String) -> Self { .init(exitCode: 70, message) }
  /// Reading or writing failed.
  static func io(_ message: String) -> Self { .init(exitCode: 74, message) }
  /// The user may not do this.
  static func notPermitted(_ message: String) -> Self { .init(exitCode: 77, message) }
}
