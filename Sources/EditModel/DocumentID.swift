/// The name of a document: any UTF-8 string of 1 to 1,024 bytes, often a file URI.
///
/// A name is data. No path is ever built from it.
public struct DocumentID: Hashable, Sendable, CustomStringConvertible {
  /// Bytes in the longest name.
  public static let sizeMax = 1024
  /// The name.
  public let name: String

  /// A name; nil where it is empty or longer than 1,024 bytes of UTF-8.
  public init?(_ name: String) {
    guard (1...Self.sizeMax).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// The name.
  public var description: String { name }

  /// The name as it stands in a line.
  package var shown: String { name.shown }

  /// True where the bytes of the names are the same (no Unicode normalisation).
  public static func == (left: Self, right: Self) -> Bool { left.name.isExactly(right.name) }

  /// Feeds the bytes of the name to `hasher`.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}

/// A client's name for one run of its own, unique among all runs: together with a counter it
/// makes a resend harmless. 1 to 128 bytes of UTF-8.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
  /// Bytes in the longest identifier.
  public static let sizeMax = 128
  /// The identifier.
  public let name: String

  /// An identifier; nil where it is empty or longer than 128 bytes of UTF-8.
  public init?(_ name: String) {
    guard (1...Self.sizeMax).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// The identifier.
  public var description: String { name }

  /// True where the bytes of the identifiers are the same (no Unicode normalisation).
  public static func == (left: Self, right: Self) -> Bool { left.name.isExactly(right.name) }

  /// Feeds the bytes of the identifier to `hasher`.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}
