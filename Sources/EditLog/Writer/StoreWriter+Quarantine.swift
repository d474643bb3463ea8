import EditLogFormat
import EditModel

extension StoreWriter {
  /// Removes the files in the folder `quarantine` whose entries are all in the histories: see
  /// `Store.quarantinedFiles`. Each file is compared again before it is removed. Other files stay.
  ///
  /// - Returns: The files that were removed. The removal is durable when this returns.
  /// - Throws: `LogError.io`, `LogError.poisoned`.
  public func removeRecovered() throws(LogError) -> [QuarantinedFile] {
    try checkPoison()
    let check = QuarantineCheck(directory: quarantine, store: id) { number throws(LogError) in
      guard let state = self.states[number] else { return nil }
      return try self.history(of: state.id)
    }
    // The files that the proof relies on must be durable before the file is removed.
    try confirm()
    let recovered = try check.files().filter { $0.content == .recovered }
    guard !recovered.isEmpty else { return [] }
    for file in recovered {
      try quarantine.removeIfPresent(String(file.file.dropFirst(StoreLayout.quarantine.count + 1)))
    }
    try poisoning { () throws(LogError) in try quarantine.sync() }
    return recovered
  }
}
