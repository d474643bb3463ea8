/// The name of a document: any UTF-8 string of 1 to 1,024 bytes, often a file URI.
///
/// A path in the store is never built from a name.
public struct DocumentID: Hashable, Sendable, CustomStringConvertible {
  /// The maximum size of a name, in bytes of UTF-8.
  public static let sizeMax = 1024
  /// The name.
  public let name: String

  /// A name; nil if it is empty or longer than 1,024 bytes of UTF-8.
  public init?(_ name: String) {
    guard (1...Self.sizeMax).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// The name.
  public var description: String { name }

  /// The name for a line of output, as `String.shown` writes it.
  package var shown: String { name.shown }

  /// True if the bytes of the names are the same (no Unicode normalisation).
  public static func == (left: Self, right: Self) -> Bool { left.name.isExactly(right.name) }

  /// Feeds the bytes of the name to `hasher`.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}

/// A client's name for one of its runs, unique among all runs, 1 to 128 bytes of UTF-8. With a
/// counter, it identifies a request, so that a request that is sent twice is logged once.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
  /// The maximum size of an identifier, in bytes of UTF-8.
  public static let sizeMax = 128
  /// The identifier.
  public let name: String

  /// An identifier; nil if it is empty or longer than 128 bytes of UTF-8.
  public init?(_ name: String) {
    guard (1...Self.sizeMax).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// A new identifier for a run of a program: the beginning of the program's name, and 128 random bits.
  public static func newRun(of program: String) -> SessionID {
    let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    // A character of the name that is cut takes up to 3 bytes, so these are at most 100.
    let start = String(decoding: program.utf8.prefix(24), as: UTF8.self)
    return SessionID(unchecked: "\(start)-\(random[0])\(random[1])")
  }

  private init(unchecked name: String) { self.name = name }

  /// The identifier.
  public var description: String { name }

  /// True if the bytes of the identifiers are the same (no Unicode normalisation).
  public static func == (left: Self, right: Self) -> Bool { left.name.isExactly(right.name) }

  /// Feeds the bytes of the identifier to `hasher`.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}
