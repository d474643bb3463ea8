/// How a client counts the columns of a position.
public enum PositionEncoding: String, Hashable, Sendable {
  /// UTF-16 units, the default of LSP.
  case utf16 = "utf-16"
  /// Unicode code points; a lone surrogate is one.
  case utf32 = "utf-32"
}
