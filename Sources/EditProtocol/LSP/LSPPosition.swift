public import EditJSON

/// A place in a document as LSP has it. Numbers past the text are no error here: who applies an
/// edit clamps them.
public struct LSPPosition: Hashable, Sendable {
  /// Lines before it; only LF ends a line.
  public var line: Int
  /// Columns before it in its line, in units of the connection's `PositionEncoding`.
  public var character: Int

  /// A position.
  public init(line: Int, character: Int) { (self.line, self.character) = (line, character) }

  /// Reads a position; negative numbers count as 0, those past 2^31-1 as that.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    line = Self.clamp(try object.integer("line"))
    character = Self.clamp(try object.integer("character"))
  }

  /// The position.
  public var json: JSON { ["line": JSON(line), "character": JSON(character)] }

  private static func clamp(_ value: Int64) -> Int { Int(min(max(value, 0), Int64(Int32.max))) }
}

/// What lies between two places, the end not included.
public struct LSPRange: Hashable, Sendable {
  /// The first place.
  public var start: LSPPosition
  /// The place behind the last.
  public var end: LSPPosition

  /// A range.
  public init(start: LSPPosition, end: LSPPosition) { (self.start, self.end) = (start, end) }

  /// Reads a range. Whether it runs forwards is left to who applies it.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    start = try object.read("start") { (json) throws(ShapeError) in try LSPPosition(json: json) }
    end = try object.read("end") { (json) throws(ShapeError) in try LSPPosition(json: json) }
  }

  /// The range.
  public var json: JSON { ["start": start.json, "end": end.json] }
}
