/// A position in a text by line and column, both counted from 0, as in LSP. Only LF ends a line.
public struct LinePosition: Hashable, Sendable, Comparable {
  /// Lines before it.
  public var line: Int
  /// UTF-16 units before it in its line.
  public var column: Int

  /// The position after `column` UTF-16 units of `line`.
  public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  /// True if `left` comes first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
