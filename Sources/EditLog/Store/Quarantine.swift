import EditLogFormat

/// The folder `quarantine`: files that could not be read, or were replaced by a repair. A file in it
/// is removed or replaced in two cases: for a document that is forgotten, and by
/// `StoreWriter.removeRecovered`.
enum Quarantine {
  /// The files in it and their sizes in bytes.
  static func sizes(in root: any Directory) throws(LogError) -> [String: Int] {
    guard let directory = try root.directoryIfPresent(StoreLayout.quarantine) else { return [:] }
    var sizes: [String: Int] = [:]
    for name in try directory.names() {
      sizes[name] =
        try ifUsable { () throws(LogError) in try directory.size(of: name, in: nil) } ?? 0
    }
    return sizes
  }

  /// The names of the damaged journals in it.
  static func journals(in root: any Directory) throws(LogError) -> [String] {
    let names = try root.directoryIfPresent(StoreLayout.quarantine)?.names() ?? []
    return names.filter { $0.hasSuffix("." + StoreLayout.Kind.journal.rawValue) }
  }

  /// The loss that a journal in it means.
  static let what = "a damaged journal was quarantined"

  /// True for a file that is being written, or the replacement of another one.
  static func isBeingWritten(_ name: String) -> Bool {
    StoreLayout.isTemporary(name) || name.hasSuffix(".\(StoreLayout.Kind.erased.rawValue)")
  }

  /// A free name for `number` and `kind`.
  static func freeName(
    _ number: UInt64, _ kind: StoreLayout.Kind, in directory: any Directory
  ) throws(LogError) -> String {
    let taken = Set(try directory.names())
    let stem = StoreLayout.name(of: number)
    var name = "\(stem).\(kind.rawValue)"
    var count = 1
    while taken.contains(name) {
      count += 1
      name = "\(stem)-\(count).\(kind.rawValue)"
    }
    return name
  }
}
