/// The name of a document: a UTF-8 string of 1 to 12,292 bytes, often a file URI.
///
/// The URIs of one file are one name: `init(_:)` writes the path with the escapes of RFC 3986. Other
/// names are the bytes that they were given as. A path in the store is never built from a name.
public struct DocumentID: Hashable, Sendable, CustomStringConvertible {
  /// The maximum size of a name, in bytes of UTF-8: that of the URI of a path of `PATH_MAX` bytes that
  /// are all escaped.
  public static let sizeMax = "file://".utf8.count + 3 * 4_095
  /// The name.
  public let name: String

  /// A name. The URI of a file gets the form that all its URIs have in common, `file:///a%20b` also for
  /// `file:///%61%20b`. Nil if it is empty or longer than `sizeMax`.
  public init?(_ name: String) {
    guard name.utf8.count <= Self.sizeMax else { return nil }
    self.init(stored: FileURI.canonical(name))
  }

  /// A name as a store has it, byte for byte; nil if it is empty or longer than `sizeMax`. Older
  /// versions stored URIs as editors wrote them.
  package init?(stored name: String) {
    guard (1...Self.sizeMax).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// The name for which documents are looked up, of one that a store has. O(n).
  package var canonical: DocumentID { DocumentID(name) ?? self }

  /// The name of one of several histories of this file, by the number of its document.
  package func otherHistory(_ number: UInt64) -> DocumentID? {
    DocumentID(stored: FileURI.uri(name, history: number))
  }

  /// The name of the file, if this is the name of one of its several histories; else nil.
  package var fileOfOtherHistory: DocumentID? {
    FileURI.fileOfHistory(name).flatMap { DocumentID($0) }
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
