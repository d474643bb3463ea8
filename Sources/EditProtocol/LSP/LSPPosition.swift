public import EditJSON

/// A position in a document as in LSP. Numbers beyond the text are valid; they are clamped when the
/// edit is applied.
public struct LSPPosition: Hashable, Sendable {
  /// Lines before it; only LF ends a line.
  public var line: Int
  /// Columns before it in its line, in units of the connection's `PositionEncoding`.
  public var character: Int

  /// A position.
  public init(line: Int, character: Int) { (self.line, self.character) = (line, character) }

  /// Reads a position. Numbers are clamped to 0...2^31-1.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    line = Self.clamp(try object.integer("line"))
    character = Self.clamp(try object.integer("character"))
  }

  /// The position.
  public var json: JSON { ["line": JSON(line), "character": JSON(character)] }

  private static func clamp(_ value: Int64) -> Int { Int(min(max(value, 0), Int64(Int32.max))) }
}

/// The range between two positions, without the end.
public struct LSPRange: Hashable, Sendable {
  /// The first position.
  public var start: LSPPosition
  /// The position after the last one.
  public var end: LSPPosition

  /// A range.
  public init(start: LSPPosition, end: LSPPosition) { (self.start, self.end) = (start, end) }

  /// Reads a range. It is not checked that `start` comes before `end`.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    start = try object.read("start") { (json) throws(ShapeError) in try LSPPosition(json: json) }
    end = try object.read("end") { (json) throws(ShapeError) in try LSPPosition(json: json) }
  }

  /// The range.
  public var json: JSON { ["start": start.json, "end": end.json] }
}
