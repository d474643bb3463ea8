package import EditJSON
package import EditModel
import EditProtocol
import Glibc

/// A spool file: notifications of an editor that the daemon has not acknowledged. It is delivered
/// by its bridge while that runs, and later by the next bridge.
package struct WaitingSpool: Hashable, Sendable {
  /// Where the file is.
  package var path: String
  /// Messages in it, up to the first that is torn or damaged.
  package var requestCount: Int
  /// Bytes in the file.
  package var size: Int
  /// When it was last written to.
  package var lastWrite: Timestamp
  /// True if a running bridge holds it.
  package var isHeld: Bool
  /// The number of the file's names. With more than one it is not delivered.
  package var nameCount = 1
  /// The store that its messages are for, as `SpoolHeader` has it. Nil for any.
  package var store: String?

  /// True if its messages are for the store at `path`.
  package func isFor(storeAt path: String) -> Bool {
    store == nil || store == SpoolHeader.name(ofStore: path)
  }

  /// The spools with messages in a folder, those written to last at the end; none if the folder is
  /// missing or another user can enter it. Locks no file. O(messages).
  package static func all(in folder: String) -> [WaitingSpool] {
    let folder = SpoolFolder(path: folder)
    return folder.names.filter { $0.hasSuffix(SpoolFile.suffix) }
      .compactMap { try? WaitingSpool(path: "\(folder.path)/\($0)") }
      .filter { $0.requestCount > 0 }
      .sorted { $0.lastWrite < $1.lastWrite }
  }

  private init?(path: String) throws(SpoolError) {
    guard let file = try SpoolFile.openExisting(path, O_RDONLY), let header = try file.header()
    else { return nil }
    var (count, offset) = (0, header.end)
    while let next = try file.nextOffset(after: offset) { (count, offset) = (count + 1, next) }
    let (seconds, nanos) = file.modified
    let (nanoseconds, isTooLate) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    self.init(
      path: path, requestCount: count, size: file.size,
      lastWrite: Timestamp(nanoseconds: isTooLate ? .max : nanoseconds &+ Int64(nanos)),
      isHeld: file.isLocked)
    (nameCount, store) = (file.nameCount, header.value.store)
  }

  private init(
    path: String, requestCount: Int, size: Int, lastWrite: Timestamp, isHeld: Bool,
    store: String? = nil
  ) {
    (self.path, self.requestCount, self.size) = (path, requestCount, size)
    (self.lastWrite, self.isHeld, self.store) = (lastWrite, isHeld, store)
  }

  /// An element of `spools` in `editlog status --json`.
  package static let codec = Codec<Self>(
    {
      WaitingSpool(
        path: $0, requestCount: $1, size: $2, lastWrite: $3, isHeld: $4, store: $5)
    },
    .required("path", \.path, .string), .required("requests", \.requestCount, .count),
    .required("bytes", \.size, .count), .required("lastWrite", \.lastWrite, .time),
    .required("held", \.isHeld, .bool), .optional("store", \.store, .string))
}
