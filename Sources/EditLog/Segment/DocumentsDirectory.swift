import EditLogFormat

/// The directory `documents` of a store: for each document a file with its only small segment, or a
/// folder, or both.
///
/// A folder costs a block of the file system, and most documents are small. So the first segment
/// of a document is a file of this directory while it is small; all else is in a folder.
final class DocumentsDirectory: Sendable {
  /// The default of `loneSizeMax`, in bytes: a block of a file system.
  static let loneSizeMaxDefault = 4 << 10

  private let base: any Directory
  /// The size of the largest segment that is written without a folder, in bytes.
  private let loneSizeMax: Int

  /// The documents in `base`.
  init(_ base: any Directory, loneSizeMax: Int = 0) {
    (self.base, self.loneSizeMax) = (base, loneSizeMax)
  }

  /// For messages only.
  var path: String { base.path }

  /// The numbers of all documents that have a file or a folder, ascending. O(n).
  func numbers() throws(LogError) -> [UInt64] {
    Set(try base.names().compactMap(Self.number(of:))).sorted()
  }

  /// The names that belong to no document, ascending. O(n).
  func unknownNames() throws(LogError) -> [String] {
    try base.names().filter { Self.number(of: $0) == nil }
  }

  /// The files of a document; nil if it has none, and no folder.
  func document(_ number: UInt64) throws(LogError) -> DocumentDirectory? {
    let document = try writable(number)
    return try document.exists() ? document : nil
  }

  /// The files of a document. Returns nil if there are none, or if its folder is refused. Reading the
  /// document reports that error.
  func documentIfAllowed(_ number: UInt64) throws(LogError) -> DocumentDirectory? {
    do { return try document(number) } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  /// The place for the files of a document. Its folder is created with the first file in it.
  func writable(_ number: UInt64) throws(LogError) -> DocumentDirectory {
    try DocumentDirectory(number, in: base, loneSizeMax: loneSizeMax)
  }

  /// Creates the folder of a document, durably.
  func makeFolder(_ number: UInt64) throws(LogError) {
    _ = try base.createDirectory(StoreLayout.name(of: number))
    try base.sync()
  }

  /// Makes the names durable. Every existing folder is durable then, because new folders are
  /// created durably.
  func sync() throws(LogError) { try base.sync() }

  /// The size of a document's segment, of which `expected` bytes are listed. Opens no file.
  func size(
    ofSegment first: UInt64, of number: UInt64, expected: Int
  ) throws(LogError) -> Int {
    // Where it is likely to be, first: with tens of thousands of documents that takes the time.
    if first == 1, expected <= Self.loneSizeMaxDefault,
      let size = try? base.size(of: StoreLayout.name(of: number, .segment), in: nil)
    {
      return size
    }
    return try base.size(
      of: StoreLayout.name(of: first, .segment), in: StoreLayout.name(of: number))
  }

  /// What is wrong with files whose number is larger than any that was given.
  static let strayWhat = "files with a number that no document ever had"

  /// The path of a document's file or folder, relative to the store's folder, for messages.
  static func path(of number: UInt64) -> String {
    "\(StoreLayout.documents)/\(StoreLayout.name(of: number))"
  }

  /// The number of the document to which the name of a file or folder belongs.
  private static func number(of name: String) -> UInt64? {
    for kind in [StoreLayout.Kind.segment, .temporary] {
      if let number = StoreLayout.numbers(kind, in: [name]).first { return number }
    }
    return StoreLayout.number(of: name)
  }
}

extension Directory {
  /// The documents of the store in this directory; nil if it has none.
  func documentsIfPresent() throws(LogError) -> DocumentsDirectory? {
    try directoryIfPresent(StoreLayout.documents).map { DocumentsDirectory($0) }
  }
}
