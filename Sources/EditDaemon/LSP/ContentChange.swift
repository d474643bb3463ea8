public import EditModel

/// A position as a client sends it: nothing about it is checked.
public struct LSPPosition: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 0.
  public var line: Int
  /// The column, from 0, in the client's encoding.
  public var character: Int

  /// The position at `character` of `line`.
  public init(line: Int, character: Int) { (self.line, self.character) = (line, character) }

  /// `line:character`.
  public var description: String { "\(line):\(character)" }
}

/// One content change of a `didChange`. The range's length, which clients get wrong, is left out.
public struct ContentChange: Hashable, Sendable {
  /// A range as a client sends it: nothing about it is checked.
  public struct Range: Hashable, Sendable {
    /// Where the replaced text starts.
    public var start: LSPPosition
    /// Where it ends.
    public var end: LSPPosition

    /// The range between two positions.
    public init(start: LSPPosition, end: LSPPosition) { (self.start, self.end) = (start, end) }
  }

  /// What is replaced; nil where the change replaces the whole text.
  public var range: Range?
  /// What takes its place.
  public var text: UTF16Text

  /// The replacement of `range`, or of the whole text, by `text`.
  public init(range: Range?, text: UTF16Text) { (self.range, self.text) = (range, text) }
}
