import EditModel

/// The new file of an export, or standard output.
struct ExportFile {
  private let file: NewFile?
  private let session: Session
  /// Bytes that were written.
  private(set) var size = 0

  /// Creates the file; nil is standard output.
  ///
  /// - Throws: `CommandError` (73) if it exists or cannot be created.
  init(_ path: String?, _ session: Session) throws(CommandError) {
    file = if let path { try NewFile(path, option: "--output") } else { nil }
    self.session = session
  }

  /// Adds text; on a terminal with signs for characters that could control it.
  mutating func write(_ bytes: [UInt8]) throws {
    size += bytes.count
    if let file { return try file.write(bytes) }
    guard session.width != nil else { return try session.output.write(bytes: bytes) }
    try session.writeText(UTF16Text(String(decoding: bytes, as: UTF8.self)))
  }

  /// Makes the file durable.
  func close() throws { try file?.close() }
}
