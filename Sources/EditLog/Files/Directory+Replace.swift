import EditLogFormat

extension Directory {
  /// Replaces the file `name` by one with these bytes, durably and atomically.
  func replace(_ name: String, with bytes: [UInt8]) throws(LogError) {
    var flushes = FlushWatch()
    try replace(name, with: bytes, &flushes)
  }

  /// Replaces the file `name` by one with these bytes, durably and atomically.
  func replace(
    _ name: String, with bytes: [UInt8], _ flushes: inout FlushWatch
  ) throws(LogError) {
    let temporary = name + "." + StoreLayout.Kind.temporary.rawValue
    try removeIfPresent(temporary)
    let file = try open(temporary, .create)
    try file.writeAll(bytes, at: 0)
    try flushes.watch { () throws(LogError) in try file.sync() }
    try rename(temporary, to: name, in: self)
    try flushes.watch { () throws(LogError) in try sync() }
  }

  func removeIfPresent(_ name: String) throws(LogError) {
    do { try remove(name) } catch {
      guard error.isMissing else { throw error }
    }
  }

  /// The directory of this name, nil if there is none.
  func directoryIfPresent(_ name: String) throws(LogError) -> (any Directory)? {
    do { return try directory(name) } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// True if there is a file of this name.
  func hasFile(_ name: String) throws(LogError) -> Bool {
    do { return try size(of: name, in: nil) >= 0 } catch {
      // The name is taken by something that is not a file of the store, such as a link.
      if case .refused = error { return true }
      if error.isMissing { return false }
      throw error
    }
  }
}
