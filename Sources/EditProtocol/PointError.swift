/// Why a text is not a point in a history.
public struct PointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// How it was read, and what is wrong with it.
  public let problem: String

  init(_ text: String, _ problem: String) { (self.text, self.problem) = (text, problem) }

  /// The forms that points have, in one line.
  public static let grammar = """
    a point is 1234 (sequence number), latest, mark:LABEL, save:-1, session:-1, undo:-3, \
    2026-11-20T15:04:05Z, \
    2026-11-20 15:04, 2026-11-20, 15:04, 15:04 yesterday, yesterday, monday, mon 15:04, \
    10m ago, 2 hours ago or -1h (s, m, h, d, w)
    """

  /// One line: what is wrong, and the valid forms.
  public var description: String { "'\(text)' \(problem); \(Self.grammar)" }
}
