import EditLogFormat
package import EditModel

/// The file with what the edits of one document cost as they happened.
struct TraceFolder {
  private let directory: any Directory
  private let store: StoreID
  private let document: UInt64

  init(_ directory: any Directory, store: StoreID, document: UInt64) {
    (self.directory, self.store, self.document) = (directory, store, document)
  }

  /// The traces, ascending. Empty if there is no file, or if it is not valid: it is a cache.
  func traces() throws(LogError) -> [LiveTrace] {
    let found = try directory.read(StoreLayout.traces) { file throws(LogError) in
      let size = try file.size()
      guard size <= TraceFile.sizeMax else { return [LiveTrace]() }
      return TraceFile.decode(try file.read(size, at: 0), store: store, document: document) ?? []
    }
    return found.content ?? []
  }

  /// Adds traces to those of the file that are not after the edit `last`. Of two of one edit the new
  /// one stays, and of all the last `TraceFile.countMax`.
  func add(_ traces: [LiveTrace], through last: SequenceNumber) throws(LogError) {
    let merged = LiveTrace.merged(try self.traces(), traces).filter { $0.sequence <= last }
    let bytes = TraceFile.encode(merged, store: store, document: document)
    assert(TraceFile.decode(bytes, store: store, document: document) != nil, "not readable")
    let temporary = StoreLayout.traces + "." + StoreLayout.Kind.temporary.rawValue
    try directory.removeIfPresent(temporary)
    do throws(LogError) {
      // Not flushed: readers skip what a crash leaves of it.
      try directory.open(temporary, .create).writeAll(bytes, at: 0)
      try directory.rename(temporary, to: StoreLayout.traces, in: directory)
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }
}

extension LiveTrace {
  /// Both, ascending. Of two of one edit it is the one in `newer`.
  package static func merged(_ older: [LiveTrace], _ newer: [LiveTrace]) -> [LiveTrace] {
    if older.isEmpty { return newer }
    let numbers = Set(newer.map(\.sequence))
    return (older.filter { !numbers.contains($0.sequence) } + newer)
      .sorted { $0.sequence < $1.sequence }
  }
}

extension History {
  /// What edits cost as they happened in the daemon, as far as it was stored, ascending. They may be
  /// of another history: a trace belongs to the edit with its number and its time.
  package var liveTraces: [LiveTrace] {
    guard let directory = sealed?.directory else { return [] }
    // A cache that cannot be read is skipped.
    return (try? TraceFolder(directory, store: store, document: number).traces()) ?? []
  }
}

extension CheckpointSink {
  /// Stores what edits cost as they happened, beside the checkpoints, with what is stored already.
  package func add(_ traces: [LiveTrace]) throws(LogError) {
    try makeFolder()
    try TraceFolder(directory, store: history.store, document: history.number)
      .add(traces, through: history.lastSequence)
  }
}
